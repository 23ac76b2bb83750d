# Needs GNU make, Debian 12 or newer (elsewhere: the same libraries by hand) and Swift 6.3.
#
#   make demo       see it work, without changing anything of yours
#   make test       run everything that is tested
#   make            build the release
#   make install    PREFIX=/usr/local by default, DESTDIR= and UNITDIR= for packagers; PREFIX=~/.local needs no root
#   make uninstall  with the same PREFIX
#   make fuzz       FUZZ_SECONDS=600 by default: ten minutes for each fuzz target, and for abuse over the bus
#                   of the release and of a build with AddressSanitizer
#   make soak       SOAK_CALLS=1000000 calls from eight clients, then clients that come and go for
#                   SOAK_SECONDS=3600; then 200 ends with calls in flight, and 20 of each kind of a session
#   make durability saves, registrations and all changes broken at each system call, CUTS=50 power cuts of each kind,
#                   KILLS=10000 kills, RIVALS=500 times two services at once; make soak begins with it
#   make sanitize   the tests with AddressSanitizer and ThreadSanitizer, and the service in valgrind
#   make bench      idle memory, activation time and round trips beside a C service that does nothing
#   make bench-origin
#                   nanoseconds a URL, beside ada, libcurl, GLib, Foundation and ICU
#   make clean

SHELL := /bin/bash
.DEFAULT_GOAL := build

PREFIX ?= /usr/local
# The shell leaves a ~ in the middle of a word alone.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
DESTDIR ?=

BINDIR := $(PREFIX)/bin
LIBEXECDIR := $(PREFIX)/libexec
DATADIR := $(PREFIX)/share
# systemd looks for user units in lib below /usr and /usr/local, and in share below everything else.
UNITDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),$(PREFIX)/lib,$(DATADIR))/systemd/user

# The toolchain itself needs ncurses, libxml2 and libcurl, and curl brings the latter whatever its package is called.
BUILD_PACKAGES := g++ libsystemd-dev libglib2.0-dev libicu-dev libjansson-dev curl libncurses6 libxml2
TEST_PACKAGES := appstream bash-completion bubblewrap chromium dbus dbus-broker dbus-user-session \
  desktop-file-utils e2fsprogs gir1.2-gtk-4.0 gir1.2-webkit-6.0 groff-base kde-cli-tools libglib2.0-bin \
  libxml2-utils mmdebstrap mount openssl python3 python3-gi python3-venv strace sway systemd \
  systemd-container util-linux valgrind wtype xauth xdg-dbus-proxy xdg-utils xfsprogs xvfb
DEMO_PACKAGES := dbus dbus-user-session libglib2.0-bin systemd util-linux xdg-utils
BENCH_PACKAGES := libcurl4-openssl-dev python3 python3-venv

SWIFT ?= swift
BUILD := .build/release
# docs/decisions/0009-what-the-release-links.md
SWIFTFLAGS ?= -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
  -Xlinker --icf=all -Xlinker --gc-sections -Xlinker -z -Xlinker pack-relative-relocs \
  -Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import \
  -Xswiftc -Xfrontend -Xswiftc -disable-implicit-concurrency-module-import \
  -Xlinker -L$(STATIC) -Xlinker --no-warn-symbol-ordering \
  -Xlinker --symbol-ordering-file=$(CURDIR)/Benchmarks/start.order
# A directory with nothing but the static C++ library, which the linker then takes.
STATIC := $(CURDIR)/.build/static
STAGE := $(CURDIR)/.build/stage
# The home of the user of Tests/tools/systemd-user-session, with an installation of her own.
SESSION := $(CURDIR)/.build/session
SESSION_HOME := /home/navtest

.PHONY: build setup setup-build setup-demo test stage demo bench bench-origin fuzz durability soak sanitize install uninstall check-prefix clean

build: setup-build
	@mkdir -p '$(STATIC)' && ln -sf "$$(gcc -print-file-name=libstdc++.a)" '$(STATIC)/'
	$(SWIFT) build $(SWIFTFLAGS) --product sovereign-navigationd
	$(SWIFT) build $(SWIFTFLAGS) --product sovereign-navigation

setup:
	@SWIFT='$(SWIFT)' Tests/tools/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)

setup-build:
	@SWIFT='$(SWIFT)' Tests/tools/install-packages $(BUILD_PACKAGES)

setup-demo:
	@SWIFT='$(SWIFT)' Tests/tools/install-packages $(BUILD_PACKAGES) $(DEMO_PACKAGES)

# The tests, the demo and the benchmark run what `make install` puts somewhere else.
stage: build
	@rm -rf '$(STAGE)' '$(SESSION)'
	@$(MAKE) --no-print-directory --silent install PREFIX='$(STAGE)' refresh=:
	@$(MAKE) --no-print-directory --silent install PREFIX='$(SESSION_HOME)/.local' DESTDIR='$(SESSION)'

test: setup
	@MAKE='$(MAKE)' SWIFT='$(SWIFT)' STAGE='$(STAGE)' SESSION_HOME='$(SESSION)$(SESSION_HOME)' \
	  Tests/run-all

demo: setup-demo stage
	@Tests/tools/demo '$(STAGE)'
	@printf '\n%s\n' 'What it costs: how long a first call takes that starts the service, any other call, and memory while idle.'
	@Benchmarks/run '$(STAGE)' '$(SESSION)$(SESSION_HOME)' 10

bench: setup-demo stage
	@Benchmarks/run '$(STAGE)' '$(SESSION)$(SESSION_HOME)' 50

bench-origin: build
	@SWIFT='$(SWIFT)' Tests/tools/install-packages $(BENCH_PACKAGES)
	@SWIFT='$(SWIFT)' Benchmarks/origin/run $(SWIFTFLAGS)

FUZZ_SECONDS ?= 600
fuzz: setup build
	@SWIFT='$(SWIFT)' Tests/tools/fuzz $(FUZZ_SECONDS)
	@Tests/tools/fuzz-bus --seconds $(FUZZ_SECONDS) $(BUILD)/sovereign-navigationd
	@SWIFT='$(SWIFT)' Tests/tools/sanitize fuzz $(FUZZ_SECONDS)

CUTS ?= 50
KILLS ?= 10000
RIVALS ?= 500
durability: setup build
	@$(SWIFT) build --product preferences-probe
	@$(SWIFT) build --product registration-probe
	@Tests/tools/save-faults .build/debug/preferences-probe
	@Tests/tools/registration-faults .build/debug/registration-probe
	@Tests/tools/service-faults --long $(BUILD)/sovereign-navigationd
	@if why=$$(Tests/tools/power-cuts check); then \
	  Tests/tools/power-cuts --cuts $(CUTS) $(BUILD)/sovereign-navigationd; \
	else echo "power cuts: not run: $$why"; fi
	@Tests/tools/kills --kills $(KILLS) $(BUILD)/sovereign-navigationd
	@Tests/tools/rivals --rounds $(RIVALS) $(BUILD)/sovereign-navigationd

SOAK_CALLS ?= 1000000
SOAK_SECONDS ?= 3600
soak: durability stage
	@Tests/tools/soak --calls $(SOAK_CALLS) --seconds $(SOAK_SECONDS) \
	  --monitor $(BUILD)/sovereign-navigation $(BUILD)/sovereign-navigationd
	@Tests/tools/endings --rounds 200 $(BUILD)/sovereign-navigationd
	@why=$$(Tests/tools/can-have-systemd-session) || { echo "no ends of a session: $$why"; exit 0; }; \
	  for kind in daemon broker; do \
	    Tests/tools/session-endings --rounds 20 $$kind '$(SESSION)$(SESSION_HOME)' || exit 1; done

sanitize: setup
	@SWIFT='$(SWIFT)' Tests/tools/sanitize tests

# PREFIX is written into a D-Bus file, a unit and a desktop entry; each quotes in its own way.
check-prefix:
	@[[ '$(PREFIX)' =~ ^/[A-Za-z0-9/._+-]*$$ ]] || { echo >&2 \
	  'PREFIX must be an absolute path of letters, digits and / . _ + - only: $(PREFIX)'; exit 1; }

$(BUILD)/sovereign-navigationd $(BUILD)/sovereign-navigation:
	@$(MAKE) --no-print-directory build

install: check-prefix $(BUILD)/sovereign-navigationd $(BUILD)/sovereign-navigation
	install -D -s -m 755 $(BUILD)/sovereign-navigationd '$(DESTDIR)$(LIBEXECDIR)/sovereign-navigationd'
	install -D -s -m 755 $(BUILD)/sovereign-navigation '$(DESTDIR)$(BINDIR)/sovereign-navigation'
	install -D -m 644 dbus/fs.sovereign.Navigation.xml \
	  '$(DESTDIR)$(DATADIR)/dbus-1/interfaces/fs.sovereign.Navigation.xml'
	install -d '$(DESTDIR)$(DATADIR)/dbus-1/services' '$(DESTDIR)$(UNITDIR)' \
	  '$(DESTDIR)$(DATADIR)/applications'
	sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|' dbus/fs.sovereign.Navigation.service.in \
	  > '$(DESTDIR)$(DATADIR)/dbus-1/services/fs.sovereign.Navigation.service'
	sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|' dbus/sovereign-navigation.service.in \
	  > '$(DESTDIR)$(UNITDIR)/sovereign-navigation.service'
	sed 's|^Exec=sovereign-navigation |Exec=$(BINDIR)/sovereign-navigation |' \
	  desktop/fs.sovereign.Navigation.desktop \
	  > '$(DESTDIR)$(DATADIR)/applications/fs.sovereign.Navigation.desktop'
	install -D -m 644 desktop/fs.sovereign.Navigation.svg \
	  '$(DESTDIR)$(DATADIR)/icons/hicolor/scalable/apps/fs.sovereign.Navigation.svg'
	install -D -m 644 desktop/fs.sovereign.Navigation.metainfo.xml \
	  '$(DESTDIR)$(DATADIR)/metainfo/fs.sovereign.Navigation.metainfo.xml'
	install -D -m 644 docs/man/sovereign-navigation.1 \
	  '$(DESTDIR)$(DATADIR)/man/man1/sovereign-navigation.1'
	install -D -m 644 docs/man/sovereign-navigationd.8 \
	  '$(DESTDIR)$(DATADIR)/man/man8/sovereign-navigationd.8'
	install -D -m 644 completions/sovereign-navigation.bash \
	  '$(DESTDIR)$(DATADIR)/bash-completion/completions/sovereign-navigation'
	install -D -m 644 -t '$(DESTDIR)$(DATADIR)/doc/sovereign-navigation' \
	  README.md LICENSE LICENSES/0BSD.txt
	@$(if $(DESTDIR),,$(refresh))

uninstall: check-prefix
	rm -f '$(DESTDIR)$(LIBEXECDIR)/sovereign-navigationd' \
	  '$(DESTDIR)$(BINDIR)/sovereign-navigation' \
	  '$(DESTDIR)$(DATADIR)/dbus-1/interfaces/fs.sovereign.Navigation.xml' \
	  '$(DESTDIR)$(DATADIR)/dbus-1/services/fs.sovereign.Navigation.service' \
	  '$(DESTDIR)$(UNITDIR)/sovereign-navigation.service' \
	  '$(DESTDIR)$(DATADIR)/applications/fs.sovereign.Navigation.desktop' \
	  '$(DESTDIR)$(DATADIR)/icons/hicolor/scalable/apps/fs.sovereign.Navigation.svg' \
	  '$(DESTDIR)$(DATADIR)/metainfo/fs.sovereign.Navigation.metainfo.xml' \
	  '$(DESTDIR)$(DATADIR)/man/man1/sovereign-navigation.1' \
	  '$(DESTDIR)$(DATADIR)/man/man8/sovereign-navigationd.8' \
	  '$(DESTDIR)$(DATADIR)/bash-completion/completions/sovereign-navigation' \
	  '$(DESTDIR)$(DATADIR)/doc/sovereign-navigation/README.md' \
	  '$(DESTDIR)$(DATADIR)/doc/sovereign-navigation/LICENSE' \
	  '$(DESTDIR)$(DATADIR)/doc/sovereign-navigation/0BSD.txt'
	@$(if $(DESTDIR),,$(refresh))
	@# A cache of nothing is what refreshing leaves where ours was the only entry.
	@cache='$(DESTDIR)$(DATADIR)/applications/mimeinfo.cache'; \
	  [ ! -f "$$cache" ] || [ "$$(cat "$$cache")" != '[MIME Cache]' ] || rm -f "$$cache"
	@$(remove_empty)

# Of the directories, one is ours alone. The others are everybody's below the usual prefixes, and
# below one that somebody chose they go where nothing else is in them.
define remove_empty
if cd '$(DESTDIR)$(PREFIX)' 2>/dev/null; then \
  rmdir --ignore-fail-on-non-empty share/doc/sovereign-navigation 2>/dev/null; \
  $(if $(filter /usr /usr/local $(HOME)/.local,$(PREFIX)),:, \
  rmdir --parents --ignore-fail-on-non-empty bin libexec share/applications \
    share/bash-completion/completions share/dbus-1/interfaces share/dbus-1/services share/doc \
    share/icons/hicolor/scalable/apps share/man/man1 share/man/man8 share/metainfo \
    share/systemd/user 2>/dev/null; \
  rmdir --ignore-fail-on-non-empty "$$PWD" 2>/dev/null); \
fi; true
endef

# Caches that would hide the new entry (or keep the old one), and the running user manager; root's
# own manager is not the user's, so after a system-wide installation users log in again.
define refresh
if command -v update-desktop-database >/dev/null; then \
  update-desktop-database -q '$(DATADIR)/applications' || true; fi; \
if [ -e '$(DATADIR)/icons/hicolor/icon-theme.cache' ] \
  && command -v gtk-update-icon-cache >/dev/null; then \
  gtk-update-icon-cache -q -t -f '$(DATADIR)/icons/hicolor' || true; fi; \
if [ "$$(id -u)" != 0 ] && command -v systemctl >/dev/null; then \
  systemctl --user daemon-reload 2>/dev/null || true; fi
endef

clean:
	$(SWIFT) package clean
	rm -rf '$(STAGE)' '$(SESSION)' '$(CURDIR)/.build/debian'
