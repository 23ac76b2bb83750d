package import Files
import Navigation
package import WebOrigin

/// Why a shell's store changes nothing.
package enum ShellStoreError: Error, Hashable, Sendable {
  case file(FileError)
  /// It is not JSON, or only a part of it, as far as this line shows.
  case notJSON(line: Int)
  /// Something in it lacks keys that it must have.
  case missingKeys(String, expected: [String], found: [String])
  /// Something in it is not of the type that it must have.
  case wrongType(String, expected: String)
  case tooManyInstances(Int)
  case activeNoAddress
  case activeNotListed(Origin)
}

/// Something about one instance in a shell's store, counted from one.
package enum ShellStoreFlaw: Hashable, Sendable {
  /// It is left out.
  case noAddress(instance: Int)
  /// It is left out: one before it has this origin.
  case repeated(instance: Int, Origin)
  /// It gets its host and port as its label.
  case unusableLabel(instance: Int)
}

extension ShellStoreError: CustomStringConvertible {
  /// Does not repeat values: an address may have a password, and this goes to the journal.
  package var description: String {
    switch self {
    case .file(let error):
      "\(error)"
    case .notJSON(let line):
      "it is not JSON, or only a part of it; see line \(line)"
    case .missingKeys(let what, let expected, let found):
      "\(what) must have the keys \(list(expected)), and has \(found.isEmpty ? "none" : list(found))"
    case .wrongType(let what, let expected):
      "\(what) must be \(expected)"
    case .tooManyInstances(let count):
      "it holds \(count) instances, of which \(Policy.maximumInstances) can be stored; remove some"
    case .activeNoAddress:
      "`activeUrl` is not the address of an instance"
    case .activeNotListed(let origin):
      "`activeUrl` names \(origin), which is not among its instances"
    }
  }
}

extension ShellStoreFlaw: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noAddress(let instance):
      "instance \(instance) is left out: its `url` is not the address of an instance"
    case .repeated(let instance, let origin):
      "instance \(instance) is left out: \(origin) is there before it"
    case .unusableLabel(let instance):
      "instance \(instance) is called by its host: its `label` is longer than "
        + "\(Policy.maximumLabelLength) bytes or has control characters"
    }
  }
}

private func list(_ keys: [String]) -> String {
  let worthNaming = 16
  let names = keys.filter { $0.isName(with: "_") }.prefix(worthNaming).map(quoted)
  return (names + (keys.count > names.count ? ["…"] : [])).joined(separator: ", ")
}
