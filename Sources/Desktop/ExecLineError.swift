/// Why an `Exec` value must not be run.
package enum ExecLineError: Error, Hashable, Sendable {
  case empty
  case unbalancedQuote
  /// The specification forbids `=` in the program's name.
  case assignmentAsProgram(String)
  case unknownCode(String)
  /// `%U`, `%F` or `%i` in a longer argument, a link in a longer quoted one or in a script, or any code
  /// in the program's name.
  case misplacedCode(String)
  /// An interpreter whose script is missing would read the link as one.
  case scriptMissing(String)
  case severalTargets
}

extension ExecLineError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "its Exec names no program"
    case .unbalancedQuote: "a quote in its Exec is not closed"
    case .assignmentAsProgram(let word): "its Exec begins with the assignment \(word)"
    case .unknownCode(let code): "\(code) in its Exec is no field code"
    case .misplacedCode(let code): "\(code) stands in its Exec where it may not"
    case .scriptMissing(let interpreter):
      "\(interpreter) in its Exec has no script and would run the link as one"
    case .severalTargets: "its Exec has more than one of %u, %U, %f and %F"
    }
  }
}
