# SPDX-License-Identifier: AGPL-3.0-or-later
# Completes the arguments of sovereign-navigation(1) in bash.

_sovereign_navigation() {
    local cur prev words cword split=false
    _init_completion -s -n : || return

    local commands=(decide explain origin open active instances import browser shell register unregister
        status doctor monitor forget)
    local options=() operands=() word
    if [ "$cword" -eq 1 ]; then
        operands=("${commands[@]}" help --help --version)
    else
        case ${words[1]} in
            help) operands=("${commands[@]}") ;;
            decide) options=(--json -0 --offline --active --instance) ;;
            explain | status | doctor) options=(--json) ;;
            origin) options=(--json -0) ;;
            open) options=(--browser --shell) ;;
            active)
                options=(--json --clear)
                mapfile -t operands < <(_sovereign_navigation_instances)
                ;;
            instances)
                case ${words[2]} in
                    add) options=(--label --no-verify) ;;
                    remove) mapfile -t operands < <(_sovereign_navigation_instances) ;;
                    *) options=(--json --label --no-verify) operands=(add remove) ;;
                esac
                ;;
            import) [[ $cur == -* ]] || { _filedir; return; } ;;
            browser | shell)
                options=(--json --reset)
                mapfile -t operands < <(_sovereign_navigation_applications "${words[1]}")
                ;;
            register) options=(--check --json) ;;
            forget) options=(--yes) ;;
            unregister | monitor) ;;
            *) return ;;
        esac
        case $prev in
            --active | --instance) mapfile -t operands < <(_sovereign_navigation_instances) ;;
            --label) return ;;
            *) [[ $cur != -* ]] || operands=("${options[@]}" --help) ;;
        esac
    fi
    # Not with compgen -W, which expands: a host may be called $(reboot).
    for word in "${operands[@]}"; do
        [[ $word != "$cur"* ]] || COMPREPLY+=("$(printf %q "$word")")
    done
    __ltrim_colon_completions "$cur"
}

# Does not start a service that does not run: a key stroke changes nothing.
_sovereign_navigation_instances() {
    busctl --user --auto-start=no --json=short get-property fs.sovereign.Navigation \
        /fs/sovereign/Navigation fs.sovereign.Navigation Instances 2>/dev/null |
        grep -oE '\["https?://[^"]*"' | cut -d '"' -f 2
}

_sovereign_navigation_applications() {
    sovereign-navigation "$1" 2>/dev/null | sed -nE 's/^[* ] ([^:]*): (is used|could be used) .*/\1/p'
}

complete -F _sovereign_navigation sovereign-navigation
