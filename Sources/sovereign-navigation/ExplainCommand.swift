internal import NavigationClient

enum ExplainCommand {
  /// In the order in which they are shown; documented in the manual page.
  static let keys = [
    "destination", "reason", "hint", "origin", "active-origin", "active-source", "instance", "url",
    "application", "application-name", "application-source", "opens-in", "opens-because",
    "obstacle", "error",
  ]
  private static let alwaysPresent: Set = [
    "destination", "reason", "url", "origin", "active-origin", "application",
  ]

  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard !arguments.operands.isEmpty else { throw ToolError(.usage, "no URL is given") }
    let client = try Service.connect()
    var answers = Answers(arguments, isList: arguments.operands.count > 1)
    for (index, url) in arguments.operands.enumerated() {
      let explanation = try Service.call(about: url) { () throws(ClientError) in
        try client.explain(url)
      }
      if answers.isJSON {
        answers.add(json: describe(url, explanation))
      } else {
        if index > 0 { answers.add("".utf8) }
        answers.add(Output.printable(url).utf8)
        for key in keys {
          guard let value = explanation[key], !value.isEmpty else { continue }
          let title = key == "url" ? "hands-over" : key
          answers.add("  \(title): \(Output.whole(value))".utf8)
        }
        for (setting, file) in explanation.locks.sorted(by: { $0.key < $1.key }) {
          answers.add("  locked: \(Output.printable("\(setting), by \(file)"))".utf8)
        }
      }
    }
    answers.finish()
    return .success
  }

  private static func describe(_ url: String, _ explanation: Explanation) -> JSON {
    var members: [(String, JSON)] = [("input", .string(url))]
    for key in keys {
      guard let value = explanation[key] ?? (alwaysPresent.contains(key) ? "" : nil) else {
        continue
      }
      members.append((key, .string(value)))
    }
    if !explanation.locks.isEmpty { members.append(("locked", JSON(explanation.locks))) }
    return .object(members)
  }
}
