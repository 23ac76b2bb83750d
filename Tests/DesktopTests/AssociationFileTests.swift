import Testing

@testable import Desktop

/// A list before registering, after it, and, where somebody changes it then, after unregistering.
private struct Edit: Sendable, CustomTestStringConvertible {
  let what: String
  var role = AssociationFile.Role.plain
  let before: String
  let after: String
  var testDescription: String { what }
}

private struct Change: Sendable, CustomTestStringConvertible {
  let what: String
  var before = "[Default Applications]\nx-scheme-handler/https=a.desktop;\n"
  /// What somebody made of the registered list.
  let changed: String
  let after: String
  /// What was put there, at the old place.
  var named: [String: String] = [:]
  var testDescription: String { what }
}

private let https = "x-scheme-handler/https"
private let us = "fs.sovereign.Navigation.desktop;"
private let added = """
  [Added Associations]
  x-scheme-handler/http=\(us)
  x-scheme-handler/https=\(us)

  """
private let fresh = """
  [Default Applications]
  x-scheme-handler/http=\(us)
  x-scheme-handler/https=\(us)
  x-scheme-handler/sovereign=\(us)

  \(added)
  """

/// Expectations are what the association specification and the contract of registering say.
@Suite struct AssociationFileTests {
  @Test(arguments: [
    Edit(what: "nothing", before: "", after: fresh),
    Edit(what: "a comment without line end", before: "# mine", after: "# mine\n\n" + fresh),
    Edit(
      what: "all former entries stay behind us",
      before: "[Default Applications]\ntext/html=a.desktop\n"
        + "x-scheme-handler/https=a.desktop;b.desktop\nx-scheme-handler/http=\n"
        + "x-scheme-handler/sovereign=shell.desktop;\n[Added Associations]\n"
        + "x-scheme-handler/https=b.desktop;\n",
      after: "[Default Applications]\ntext/html=a.desktop\n"
        + "x-scheme-handler/https=\(us)a.desktop;b.desktop\nx-scheme-handler/http=\(us)\n"
        + "x-scheme-handler/sovereign=\(us)shell.desktop;\n[Added Associations]\n"
        + "x-scheme-handler/https=\(us)b.desktop;\nx-scheme-handler/http=\(us)\n"),
    Edit(
      what: "CR LF", before: "[Added Associations]\r\nx-scheme-handler/https=a.desktop;\r\n",
      after: "[Added Associations]\r\nx-scheme-handler/https=\(us)a.desktop;\r\n"
        + "x-scheme-handler/http=\(us)\r\n\r\n[Default Applications]\r\n"
        + "x-scheme-handler/http=\(us)\r\nx-scheme-handler/https=\(us)\r\n"
        + "x-scheme-handler/sovereign=\(us)\r\n"),
    Edit(
      what: "repeated groups and keys",
      before: "[Default Applications]\nx-scheme-handler/https=a.desktop;\n[Other]\nk=1\n"
        + "[Default Applications]\nx-scheme-handler/https=b.desktop;\n",
      after: "[Default Applications]\nx-scheme-handler/https=\(us)a.desktop;\n[Other]\nk=1\n"
        + "[Default Applications]\nx-scheme-handler/https=\(us)b.desktop;\n"
        + "x-scheme-handler/http=\(us)\nx-scheme-handler/sovereign=\(us)\n\n" + added),
    Edit(
      what: "spaces around the key, inside the list and behind it",
      before: "[Default Applications]\n x-scheme-handler/https  =  a b.desktop; c.desktop \n"
        + "x-scheme-handler/http=\(us)\nx-scheme-handler/sovereign=\(us)\n" + added,
      after: "[Default Applications]\nx-scheme-handler/https=\(us)a b.desktop; c.desktop \n"
        + "x-scheme-handler/http=\(us)\nx-scheme-handler/sovereign=\(us)\n" + added),
    Edit(
      what: "we are named already, further behind",
      before: "[Default Applications]\nx-scheme-handler/http=\(us)\n"
        + "x-scheme-handler/https=a\\;\(us)b.desktop;\(us)\(us.dropLast())\n"
        + "x-scheme-handler/sovereign=\(us)\n" + added,
      after: "[Default Applications]\nx-scheme-handler/http=\(us)\n"
        + "x-scheme-handler/https=\(us)a\\;\(us)b.desktop;\n"
        + "x-scheme-handler/sovereign=\(us)\n" + added),
    Edit(
      what: "removed associations list us",
      before: fresh
        + "[Removed Associations]\nx-scheme-handler/https=a.desktop;\(us)\n"
        + "x-scheme-handler/http=\(us)\nx-scheme-handler/sovereign=b.desktop;\n",
      after: fresh
        + "[Removed Associations]\nx-scheme-handler/https=a.desktop;\n"
        + "x-scheme-handler/sovereign=b.desktop;\n"),
    Edit(
      what: "a desktop's own list: only what it names", role: .desktop,
      before: "[Default Applications]\nx-scheme-handler/https=a.desktop\n"
        + "[Removed Associations]\nx-scheme-handler/https=\(us)\n",
      after: "[Default Applications]\nx-scheme-handler/https=\(us)a.desktop\n"
        + "[Removed Associations]\nx-scheme-handler/https=\(us)\n"),
    Edit(
      what: "a desktop's own list that names nothing", role: .desktop,
      before: "[Default Applications]\ntext/html=a.desktop\nx-scheme-handler/https=;\n",
      after: "[Default Applications]\ntext/html=a.desktop\nx-scheme-handler/https=;\n"),
    Edit(
      what: "the old place, where nothing is", role: .old, before: "",
      after: "[Default Applications]\n\(https)=b.desktop;\n"),
    Edit(
      what: "the old place, where others are", role: .old,
      before: "[Default Applications]\n\(https)=a.desktop;b.desktop\n",
      after: "[Default Applications]\n\(https)=b.desktop;a.desktop;\n"),
    Edit(
      what: "the old place, where it is the first", role: .old,
      before: "[Default Applications]\n\(https)=b.desktop\n",
      after: "[Default Applications]\n\(https)=b.desktop\n"),
  ])
  fileprivate func registers(_ edit: Edit) {
    var file = AssociationFile(Array(edit.before.utf8))
    let named = [https: "b.desktop", "text/html": "c.desktop"]
    file.register(edit.role, named: named)
    #expect(String(decoding: file.text, as: UTF8.self) == edit.after)
    file.register(edit.role, named: named)
    #expect(String(decoding: file.text, as: UTF8.self) == edit.after)
  }

  @Test(arguments: [
    Change(what: "nothing of ours is left", changed: "# new\n", after: "# new\n"),
    Change(
      what: "another line and a comment",
      changed: "[Default Applications]\n# new\nx-scheme-handler/https=\(us)a.desktop;\n"
        + "text/html=b.desktop\nx-scheme-handler/http=\(us)\nx-scheme-handler/sovereign=\(us)\n\n"
        + added,
      after: "[Default Applications]\n# new\nx-scheme-handler/https=a.desktop;\n"
        + "text/html=b.desktop\n"),
    Change(
      what: "another application took the default",
      changed: "[Default Applications]\nx-scheme-handler/https=b.desktop\n"
        + "x-scheme-handler/http=b.desktop\n\n" + added,
      after: "[Default Applications]\nx-scheme-handler/https=b.desktop\n"
        + "x-scheme-handler/http=b.desktop\n"),
    Change(
      what: "another application stepped before us",
      changed: "[Default Applications]\nx-scheme-handler/https=b.desktop;\(us)a.desktop;\n",
      after: "[Default Applications]\nx-scheme-handler/https=b.desktop;a.desktop;\n"),
    Change(
      what: "we are alone where somebody was",
      changed: "[Default Applications]\n"
        + "x-scheme-handler/http=\(us)\nx-scheme-handler/https=\(us)\n",
      after: "[Default Applications]\nx-scheme-handler/https=a.desktop;\n"),
    Change(
      what: "the user took us out",
      changed: "[Default Applications]\ntext/html=a.desktop\n",
      after: "[Default Applications]\ntext/html=a.desktop\n"),
    Change(
      what: "what was there stays",
      before: "[Added Associations]\n# kept\nx-scheme-handler/http=\n",
      changed: fresh + "# new\n",
      after: "[Added Associations]\nx-scheme-handler/http=\n# new\n"),
    Change(
      what: "we were among the removed",
      before: "[Removed Associations]\nx-scheme-handler/http=\(us)\nx-scheme-handler/https=\(us)\n",
      changed: "[Removed Associations]\nx-scheme-handler/https=a.desktop;\n",
      after: "[Removed Associations]\nx-scheme-handler/https=\(us)a.desktop;\n"
        + "x-scheme-handler/http=\(us)\n"),
    Change(
      what: "the old place, where nothing was", before: "",
      changed: "[Default Applications]\n\(https)=b.desktop;\ntext/html=b.desktop;\n",
      after: "[Default Applications]\ntext/html=b.desktop;\n", named: [https: "b.desktop"]),
    Change(
      what: "the old place, where another was",
      changed: "# new\n[Default Applications]\n\(https)=b.desktop;a.desktop;\n",
      after: "# new\n[Default Applications]\n\(https)=a.desktop;\n",
      named: [https: "b.desktop"]),
    Change(
      what: "the old place, where somebody stepped before it",
      changed: "[Default Applications]\n\(https)=c.desktop;b.desktop;a.desktop;\n",
      after: "[Default Applications]\n\(https)=c.desktop;b.desktop;a.desktop;\n",
      named: [https: "b.desktop"]),
    Change(
      what: "the old place, where it was the first",
      changed: "# new\n[Default Applications]\n\(https)=a.desktop;\n",
      after: "# new\n[Default Applications]\n\(https)=a.desktop;\n",
      named: [https: "a.desktop"]),
  ])
  fileprivate func unregistersFromWhatSomebodyChanged(_ change: Change) {
    var file = AssociationFile(Array(change.changed.utf8))
    file.unregister(former: Array(change.before.utf8), named: change.named)
    #expect(String(decoding: file.text, as: UTF8.self) == change.after)
  }
}
