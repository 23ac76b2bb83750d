import Files

/// The settings in force of one file: what it said when it was last good.
struct GoodState: Equatable {
  /// The text that says so; empty for the defaults.
  var text: [UInt8] = []
  var layer = Layer()
  /// Whether it is not the user's, but those of an administrator.
  var isAdministrators = false

  /// The state after a look at the file, and what is wrong with the file.
  ///
  /// Deleted means cleared; whatever else is no preference file changes nothing.
  func after(_ content: Content) -> (state: GoodState, problems: [Problem]) {
    switch content {
    case .absent:
      return (GoodState(isAdministrators: isAdministrators), [])
    case .bytes(let bytes):
      do throws(Defect) {
        let reading = try self.reading(of: bytes)
        return (after(reading, of: bytes), reading.problems)
      } catch {
        return (self, [.broken(error, copy: nil, inForce: inForce)])
      }
    case .tooLarge:
      return (self, [.broken(.tooLarge, copy: nil, inForce: inForce)])
    case .notRegular:
      return (self, [.broken(.notRegular, copy: nil, inForce: inForce)])
    case .dangling:
      return (self, [.dangling(inForce: inForce)])
    case .unreadable(let error):
      return (self, [.unreadable(error, inForce: inForce)])
    }
  }

  /// The state that a file which was read leads to.
  func after(_ reading: Reading, of bytes: [UInt8]) -> GoodState {
    var text = bytes
    // A text with an unusable value does not say what is in force.
    if reading.isPatched, let own = try? applying(reading.layer.edits(from: layer), to: self.text) {
      text = own
    }
    return GoodState(text: text, layer: reading.layer, isAdministrators: isAdministrators)
  }

  func reading(of bytes: [UInt8]) throws(Defect) -> Reading {
    if isCutOff(bytes) { throw .cutOff }
    return try Reading(bytes, isAdministrators: isAdministrators, fallback: layer)
  }

  /// Whether a text is what is left of this state's when a writer is interrupted within a line.
  ///
  /// Its last line may well be valid: `ActiveOrigin=https://my.sovereign.ex`.
  func isCutOff(_ bytes: [UInt8]) -> Bool {
    guard let last = bytes.last, last != UInt8(ascii: "\n"), text.starts(with: bytes),
      let next = text.dropFirst(bytes.count).first
    else { return false }
    return next != UInt8(ascii: "\n") && next != UInt8(ascii: "\r")
  }

  private var inForce: Problem.InForce {
    guard text.isEmpty else { return .lastGood }
    return isAdministrators ? .unknown : .defaults
  }
}
