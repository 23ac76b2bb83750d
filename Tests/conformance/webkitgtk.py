"""The origins that WebKitGTK gives the URLs on standard input, a JSON array; likewise the answer."""

import json
import os
import sys

import gi

try:
    gi.require_version("Gtk", "4.0")
    gi.require_version("WebKit", "6.0")
    from gi.repository import GLib, WebKit
except ValueError:
    gi.require_version("Gtk", "3.0")
    gi.require_version("WebKit2", "4.1")
    from gi.repository import GLib, Gtk, WebKit2 as WebKit
    Gtk.init([])

SCRIPT = """
return JSON.stringify(JSON.parse(urls).map(url => {
  try { return new URL(url).origin } catch { return "failure" }
}));
"""

view = WebKit.WebView()
loop = GLib.MainLoop()
if sys.argv[1:] == ["--version"]:
    print(".".join(str(version()) for version in (
        WebKit.get_major_version, WebKit.get_minor_version, WebKit.get_micro_version)))
    sys.exit()


def answered(view, result):
    try:
        print(view.call_async_javascript_function_finish(result).to_string())
    finally:
        loop.quit()


urls = GLib.Variant("a{sv}", {"urls": GLib.Variant("s", sys.stdin.read())})
view.call_async_javascript_function(SCRIPT, -1, urls, None, None, None, answered)
loop.run()
