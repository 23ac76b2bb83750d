/// The texts of `--help`.
enum Help {
  static let overview = """
    sovereign-navigation: where a link belongs, and opening it there

    Usage: sovereign-navigation COMMAND [OPTION…] [ARGUMENT…]

      decide [URL…]   say where URLs belong: shell, browser, switch, handler or
                      blocked
      explain URL…    say why, and what would be started with what
      origin [URL…]   print the origins of URLs
      open [URL…]     open URLs where they belong
      active [URL]    show, set or clear the active instance
      instances       list, add or remove instances
      import [FILE]   take over the instances that a shell has stored itself
      browser [ID]    show or set the browser that links go to
      shell [ID]      show or set the shell that links go to
      register        become the handler of web links, or say who is
      unregister      put back what was there before
      status          show the state of the service
      doctor          find what makes links go astray, and the remedy
      monitor         print the active origin whenever it changes
      forget          unregister, and delete what the service keeps

      help [COMMAND]  tell more about a command
      --version       print the version

    -- ends the options of a command: what follows may begin with a hyphen.
    See sovereign-navigation(1).
    """
}

extension Command {
  var help: String {
    switch self {
    case .decide:
      """
      Usage: sovereign-navigation decide [--json] [-0] [URL…]
             sovereign-navigation decide --offline [--active ORIGIN]
                                  [--instance ORIGIN]… [--json] [-0] [URL…]

      Says where each URL belongs, one word a line: shell, browser, switch, handler
      or blocked. Without URLs they are read from standard input, one a line.

        --json             answer in JSON: url and destination
        -0                 URLs and answers end with NUL instead of a newline
        --offline          decide without the service, from the options alone
        --active ORIGIN    the active instance; with --offline
        --instance ORIGIN  a stored instance; with --offline, may be given again
      """
    case .explain:
      """
      Usage: sovereign-navigation explain [--json] URL…

      Says where each URL belongs and why, and which application would get exactly
      what.

        --json  answer in JSON: input, destination, reason, url (exactly what is
                handed over), origin, active-origin, active-source (the file that
                names it), application, and application-name,
                application-source (the setting or file that names it), hint,
                instance, opens-in, opens-because, obstacle, error, locked
                (settings, and the files that lock them) where they apply
      """
    case .origin:
      """
      Usage: sovereign-navigation origin [--json] [-0] [URL…]

      Prints the origin of each URL, null if it is opaque, failure if it does not
      parse. Without URLs they are read from standard input, one a line. Needs no
      service.

        --json  answer in JSON: url, result (tuple, opaque or failure) and origin
        -0      URLs and answers end with NUL instead of a newline
      """
    case .open:
      """
      Usage: sovereign-navigation open [--browser] [URL…]
             sovereign-navigation open --shell

      Opens each URL where it belongs; without URLs, starts the browser, else the
      shell. Where the service cannot be reached, decides and starts the
      application itself. Where standard error is no terminal, what cannot be
      opened gives a notification on the desktop, too.

        --browser  open in the browser, whatever the decision is
        --shell    start the shell, with nothing to open
      """
    case .active:
      """
      Usage: sovereign-navigation active [--json] [URL | --clear]

      Prints the active origin; with a URL, makes that instance the active one and
      prints its origin.

        --clear  leave no instance active
        --json   answer in JSON: active-origin
      """
    case .instances:
      """
      Usage: sovereign-navigation instances [--json]
             sovereign-navigation instances add URL [--label TEXT] [--no-verify]
             sovereign-navigation instances remove ORIGIN

      Lists the stored instances: origin, label, and active or preset where that is
      so, separated by tabs. Adding an instance makes it the active one; before, it
      is asked whether it is one, which needs curl and takes 5 seconds at most.

        --label TEXT  what to call it; by default what it calls itself, or its host
                      and port
        --no-verify   do not ask the instance whether it is one
        --json        answer in JSON: origin, label, added-at (Unix time in
                      milliseconds), active, preset
      """
    case .import:
      """
      Usage: sovereign-navigation import [FILE]

      Takes over, once, the instances in a shell's own store, and makes the one that
      is active there the active one. Prints what was taken over, like instances,
      and says what was not. Without a FILE, takes the store that the service
      follows: fs.sovereign.desktop/instances.json in ~/.local/share.
      """
    case .browser: applicationHelp("browser")
    case .shell: applicationHelp("shell")
    case .register:
      """
      Usage: sovereign-navigation register
             sovereign-navigation register --check [--json]

      Makes this service what the desktop opens http, https and sovereign: links
      with. What was there is kept, and unregister puts it back.

        --check  say what opens https and http links, and which file decides that;
                 exit with 1 unless both are this service. Needs no service
        --json   with --check, answer in JSON: default, handlers (scheme, handler,
                 source)
      """
    case .unregister:
      """
      Usage: sovereign-navigation unregister

      Puts back what the desktop opened links with before register, except where
      somebody changed it since. Where the service cannot be reached, does it
      itself.
      """
    case .status:
      """
      Usage: sovereign-navigation status [--json]

      Shows whether the service runs, the active origin and the file that names it,
      the browser and the shell that links go to, who the desktop's handler of web
      links is, and what an administrator has fixed.

        --json  answer in JSON: process-id, executable, executable-replaced,
                version, active-origin, active-source, instances (their number),
                browser, shell, default-handler, default (whether that is this
                service), locked, locked-by (which file locks what)
      """
    case .doctor:
      """
      Usage: sovereign-navigation doctor [--json]

      Looks for everything that makes links go astray and says what it found, which
      file or setting it is about, and the remedy. Exits with 1 if something is
      wrong; what is only a note is not. Works without the service, and says so.

        --json  answer in JSON: healthy, service (running, unreachable or no-bus),
                findings (severity, name, what, where, remedy)
      """
    case .monitor:
      """
      Usage: sovereign-navigation monitor

      Prints the active origin whenever it changes, one a line; an empty line if
      none is active.
      """
    case .forget:
      """
      Usage: sovereign-navigation forget [--yes]

      Lists the preferences and the state that the service keeps for you, asks, then
      unregisters and deletes them. Works without the service; one that runs goes on
      with nothing stored.

        --yes  do not ask
      """
    }
  }

  private func applicationHelp(_ role: String) -> String {
    """
    Usage: sovereign-navigation \(role) [--json]
           sovereign-navigation \(role) ID | --reset

    Prints the \(role) that links go to, and every application that was
    considered and why it is or is not one. With a desktop-file id, makes that
    application the \(role).

      --reset  look for the best one again
      --json   answer in JSON: \(role), candidates (id, source, usable, reason)
    """
  }
}
