internal import WebOrigin

enum OriginCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    let input = URLInput(arguments)
    var answers = Answers(arguments, isList: input.isList)
    try input.forEach { (url) throws(ToolError) in
      if answers.isJSON {
        answers.add(json: describe(url))
      } else {
        answers.add { URLOrigin.appendDescription(of: url, to: &$0) }
      }
    } pause: { () throws(ToolError) in
      answers.flush()
    }
    answers.finish()
    return .success
  }

  private static func describe(_ url: UnsafeBufferPointer<UInt8>) -> JSON {
    let (result, serialization): (String, JSON) =
      switch URLOrigin(of: url) {
      case .tuple(let origin): ("tuple", .string(origin.description))
      case .opaque: ("opaque", .null)
      case .failure: ("failure", .null)
      }
    return .object([
      ("url", .string(String(decoding: url, as: UTF8.self))), ("result", .string(result)),
      ("origin", serialization),
    ])
  }
}
