/// A program that does what sovereign-desktop does, without a window: a shell that knows nothing of the
/// service.
///
/// It takes one argument, a `sovereign:` link; it is started again for each. At every start it registers
/// itself for such links. It finds the instance of a link by its host name alone, keeps its own store,
/// which it truncates and rewrites, and opens foreign links with the real xdg-open.
package struct StandInShell {
  /// The desktop-file id.
  package let id: String
  /// Its store.
  package let store: String
  private let records: String
  private let session: TestSession

  /// What its user does in its window.
  package enum Click {
    case connect(String, label: String)
    case `switch`(String)
    case remove(String)
    /// A link in the page.
    case follow(String)
    /// A link in the page whose server redirects.
    case redirect(String, to: String)

    fileprivate var words: [String] {
      switch self {
      case .connect(let url, let label): ["connect", url, label]
      case .switch(let url): ["switch", url]
      case .remove(let url): ["remove", url]
      case .follow(let url): ["follow", url]
      case .redirect(let url, let target): ["redirect", url, target]
      }
    }
  }

  /// Starts it by its own icon, and does something in it.
  package func click(_ click: Click) throws {
    let result = try session.run(
      [records + "/program"], adding: ["STAND_IN_CLICK": click.words.joined(separator: "\n")])
    guard result.status == 0 else { throw SessionError("the stand-in: \(result)") }
  }

  /// Starts it in a unit of its own, as a version of it that knows the service: it makes an instance
  /// active over the bus, and goes on running until the end of the unit, whose name is returned.
  package func startKnowingTheService(activating url: String) throws -> String {
    let unit = #"app-stand\x2din\x2dshell@1.service"#
    let result = try session.run([
      "systemd-run", "--user", "--collect", "--unit", unit, "--setenv",
      "STAND_IN_CLICK=set\n\(url)", "--", records + "/program",
    ])
    guard result.status == 0 else { throw SessionError("the stand-in: \(result)") }
    return unit
  }

  /// What it did, apart from registering itself: `loaded`, `opened` or `denied` and a URL, or `ignored`
  /// and the arguments.
  package var log: [String] {
    ((try? readFile(records + "/log")) ?? []).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits until it has done `count` things; `nil` if it has not within `limit`.
  package func log(_ count: Int, limit: Duration = .seconds(10)) -> [String]? {
    poll(limit: limit) { log.count >= count ? log : nil }
  }

  fileprivate init(id: String, store: String, records: String, session: TestSession) {
    (self.id, self.store, self.records, self.session) = (id, store, records, session)
  }
}

extension TestSession {
  package func installStandInShell() throws -> StandInShell {
    let name = "stand-in-shell"
    let records = "\(home)/.local/share/test/\(name)"
    try makeDirectories(records)
    try writeFile(records + "/program", program, mode: 0o755)
    try writeFile(
      "\(home)/.local/share/applications/\(name).desktop",
      """
      [Desktop Entry]
      Type=Application
      Name=Stand-in
      Exec="\(records)/program" %u
      MimeType=x-scheme-handler/sovereign;

      """)
    return StandInShell(
      id: name + ".desktop", store: home + "/.local/share/fs.sovereign.desktop/instances.json",
      records: records, session: self)
  }
}

private let program = #"""
  #!/usr/bin/python3
  import json, os, subprocess, sys, time
  from urllib.parse import urlsplit

  directory = os.path.dirname(os.path.abspath(sys.argv[0]))
  home = os.environ.get("XDG_DATA_HOME") or os.environ["HOME"] + "/.local/share"
  path = home + "/fs.sovereign.desktop/instances.json"

  def note(*words):
      log = os.open(directory + "/log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
      os.write(log, (" ".join(words) + "\n").encode())
      os.close(log)

  def load():
      try:
          with open(path) as file:
              return json.load(file)
      except FileNotFoundError:
          return {"instances": [], "activeUrl": None}

  def save(store):
      text = json.dumps(store, indent=2).encode()
      os.makedirs(os.path.dirname(path), exist_ok=True)
      file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
      os.write(file, text[:len(text) // 2])
      time.sleep(0.15)
      os.write(file, text[len(text) // 2:])
      os.close(file)

  def origin(url):
      parts = urlsplit(url)
      return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)

  def navigate(store, url):
      if store["activeUrl"] and origin(url) == origin(store["activeUrl"]):
          note("loaded", url)
      else:
          subprocess.run(["xdg-open", url], check=True)
          note("opened", url)

  def deep_link(store, link):
      parts = urlsplit(link)
      for instance in store["instances"]:
          if urlsplit(instance["url"]).hostname == parts.hostname:
              rest = link[len("sovereign://") + len(parts.netloc):]
              return note("loaded", instance["url"] + rest)
      note("ignored", link)

  def click(store, what, url, more=None):
      if what == "connect":
          instance = {"url": url, "label": more, "addedAt": time.time_ns() // 1000000}
          others = [each for each in store["instances"] if each["url"] != url]
          save({"instances": others + [instance], "activeUrl": url})
      elif what == "switch":
          save(dict(store, activeUrl=url))
      elif what == "remove":
          rest = [each for each in store["instances"] if each["url"] != url]
          active = None if store["activeUrl"] == url else store["activeUrl"]
          save({"instances": rest, "activeUrl": active})
      elif what == "follow":
          navigate(store, url)
      elif what == "redirect":
          if url.startswith("http:") and more == "https:" + url[5:]:
              note("denied", more)
          else:
              navigate(store, more)
      elif what == "set":
          from gi.repository import Gio, GLib
          bus = Gio.bus_get_sync(Gio.BusType.SESSION)
          bus.call_sync(
              "fs.sovereign.Navigation", "/fs/sovereign/Navigation", "fs.sovereign.Navigation",
              "SetActive", GLib.Variant("(s)", (url,)), None, Gio.DBusCallFlags.NONE, -1, None)
          time.sleep(60)

  subprocess.run(
      ["xdg-mime", "default", "stand-in-shell.desktop", "x-scheme-handler/sovereign"], check=True)
  store = load()
  clicked = os.environ.pop("STAND_IN_CLICK", None)
  if clicked is not None:
      click(store, *clicked.split("\n"))
  elif len(sys.argv) == 2 and sys.argv[1].startswith("sovereign://"):
      deep_link(store, sys.argv[1])
  elif len(sys.argv) > 1:
      note("ignored", *sys.argv[1:])

  """#
