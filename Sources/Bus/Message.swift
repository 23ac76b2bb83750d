internal import CSystemd
internal import Glibc

/// One reference to a D-Bus message, dropped when the value goes away.
///
/// Reading moves a cursor that the message itself holds, so reads follow the order of the signature.
package struct Message: ~Copyable {
  package let pointer: OpaquePointer

  /// Takes over a reference that the caller owns.
  package init(adopting pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Adds a reference of its own.
  package init(retaining pointer: OpaquePointer) {
    self.pointer = pointer
    sd_bus_message_ref(pointer)
  }

  deinit {
    sd_bus_message_unref(pointer)
  }
}

// MARK: Header

extension Message {
  /// The unique name of the sender; `nil` on a peer-to-peer connection.
  package var sender: String? { sd_bus_message_get_sender(pointer).map { String(cString: $0) } }

  /// Whether the bus itself sent it, or libsystemd made it because no reply came.
  package var isFromBus: Bool { sender == "org.freedesktop.DBus" }

  /// Throws unless this is the bus's own reply.
  package func checkBusSentIt() throws(BusError) {
    guard isFromBus else { throw .forged }
  }

  /// The error that a reply is, or counts as where `owner` was asked for it.
  func error(from owner: String?) -> BusError? {
    isFromBus || sender == owner ? error : .forged
  }

  package func isCall(of member: StaticString, in interface: StaticString) -> Bool {
    interface.withCString { interface in
      member.withCString { sd_bus_message_is_method_call(pointer, interface, $0) > 0 }
    }
  }

  /// The error that this message carries, if it is an error reply.
  package var error: BusError? {
    sd_bus_message_get_error(pointer).map { BusError(copying: $0.pointee) }
  }

  package func hasSignature(_ signature: String) -> Bool {
    sd_bus_message_has_signature(pointer, signature) > 0
  }

  /// Keeps the bus from starting a service for this call.
  package func disableAutoStart() throws(BusError) {
    try check(sd_bus_message_set_auto_start(pointer, 0), "sd_bus_message_set_auto_start")
  }
}

// MARK: Reading

extension Message {
  private func readBasic<Value>(_ type: Character, into value: inout Value) throws(BusError) {
    let code = CChar(bitPattern: type.asciiValue ?? 0)
    let result = withUnsafeMutablePointer(to: &value) {
      sd_bus_message_read_basic(pointer, code, $0)
    }
    switch result {
    case 0, -ENXIO:  // The end of the container, or of the message.
      throw BusError(
        name: BusError.invalidArguments, message: "an argument is missing or of another type")
    default: try checkRead(result, "sd_bus_message_read_basic")
    }
  }

  private func checkRead(_ result: CInt, _ what: @autoclosure () -> String) throws(BusError) {
    // Both buses pass U+FFFF and its like on, but libsystemd takes them for broken.
    if result == -EBADMSG { throw .noncharacter }
    try check(result, what())
  }

  /// The next string's bytes, without the terminating NUL. They live as long as the message.
  package func readBytes() throws(BusError) -> UnsafeBufferPointer<UInt8> {
    var string: UnsafePointer<CChar>?
    try readBasic("s", into: &string)
    guard let string else { return UnsafeBufferPointer(start: nil, count: 0) }
    let count = strlen(string)
    return string.withMemoryRebound(to: UInt8.self, capacity: count) {
      UnsafeBufferPointer(start: $0, count: count)
    }
  }

  package func readString() throws(BusError) -> String {
    String(decoding: try readBytes(), as: UTF8.self)
  }

  package func readObjectPath() throws(BusError) -> String {
    var string: UnsafePointer<CChar>?
    try readBasic("o", into: &string)
    return string.map { String(cString: $0) } ?? ""
  }

  package func readUInt32() throws(BusError) -> UInt32 {
    var value: UInt32 = 0
    try readBasic("u", into: &value)
    return value
  }

  package func readInt32() throws(BusError) -> Int32 {
    var value: Int32 = 0
    try readBasic("i", into: &value)
    return value
  }

  package func readInt64() throws(BusError) -> Int64 {
    var value: Int64 = 0
    try readBasic("x", into: &value)
    return value
  }

  package func readBool() throws(BusError) -> Bool {
    var value: CInt = 0
    try readBasic("b", into: &value)
    return value != 0
  }

  /// A duplicate of a file descriptor, which the caller closes.
  func readDescriptor() throws(BusError) -> Int32 {
    var descriptor: CInt = -1
    try readBasic("h", into: &descriptor)
    return try check(fcntl(descriptor, F_DUPFD_CLOEXEC, 3), "F_DUPFD_CLOEXEC")
  }

  package func skip(_ signature: String) throws(BusError) {
    try checkRead(sd_bus_message_skip(pointer, signature), "sd_bus_message_skip")
  }

  /// Passes over the next value, whatever it is. libsystemd alone looks at each byte of an array of bytes.
  ///
  /// - Parameters:
  ///   - room: How many values it may consist of; what is left of that comes back. The numbers of an array
  ///     do not count, if they are in this machine's byte order.
  ///   - error: What is thrown where it consists of more.
  package func skip(
    room: inout Int, else error: @autoclosure () -> BusError
  ) throws(BusError) {
    _ = try skipNext(&room, error)
  }

  /// Returns whether there was another value.
  private func skipNext(_ room: inout Int, _ error: () -> BusError) throws(BusError) -> Bool {
    guard let (type, contents) = try peek() else { return false }
    room -= 1
    guard room >= 0 else { throw error() }
    switch type {
    case "a":
      if try skipNumbers(contents) { break }
      fallthrough
    case "v", "r", "e":
      try readContainer(type, contents) { () throws(BusError) in
        while try skipNext(&room, error) {}
      }
    default:
      try skip(String(type))
    }
    return true
  }

  /// Passes over an array, if it is one of numbers in this machine's byte order.
  private func skipNumbers(_ type: String) throws(BusError) -> Bool {
    guard let code = type.utf8.first, type.utf8.count == 1, "ynqiuxtd".utf8.contains(code) else {
      return false
    }
    var start: UnsafeRawPointer?
    var size = 0
    let result = sd_bus_message_read_array(pointer, CChar(bitPattern: code), &start, &size)
    if result == -EOPNOTSUPP { return false }
    try check(result, "sd_bus_message_read_array")
    return true
  }

  /// Puts the cursor back to the beginning.
  package func rewind() throws(BusError) {
    try check(sd_bus_message_rewind(pointer, 1), "sd_bus_message_rewind")
  }

  /// The type and, for containers, the contents of what comes next; `nil` at the end.
  package func peek() throws(BusError) -> (type: Character, contents: String)? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    let result = try check(
      sd_bus_message_peek_type(pointer, &type, &contents), "sd_bus_message_peek_type")
    guard result > 0 else { return nil }
    let character = Character(UnicodeScalar(UInt8(bitPattern: type)))
    return (character, contents.map { String(cString: $0) } ?? "")
  }

  /// Runs `body` inside the container that comes next. Throws if something else comes next.
  package func readContainer<Result>(
    _ type: Character, _ contents: String, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    let code = CChar(bitPattern: type.asciiValue ?? 0)
    let entered = try check(
      sd_bus_message_enter_container(pointer, code, contents), "sd_bus_message_enter_container")
    guard entered > 0 else {
      throw BusError(name: BusError.invalidArguments, message: "an argument is missing")
    }
    let result = try body()
    try check(sd_bus_message_exit_container(pointer), "sd_bus_message_exit_container")
    return result
  }

  /// Runs `body` for each element of the array that comes next.
  package func readArray(
    of contents: String, _ body: () throws(BusError) -> Void
  ) throws(BusError) {
    try readContainer("a", contents) { () throws(BusError) in
      while try check(sd_bus_message_at_end(pointer, 0), "sd_bus_message_at_end") == 0 {
        try body()
      }
    }
  }

  package func readStrings() throws(BusError) -> [String] {
    var strings: [String] = []
    try readArray(of: "s") { () throws(BusError) in strings.append(try readString()) }
    return strings
  }

  package func readStringDictionary() throws(BusError) -> [String: String] {
    var dictionary: [String: String] = [:]
    try readArray(of: "{ss}") { () throws(BusError) in
      try readContainer("e", "ss") { () throws(BusError) in
        let key = try readString()
        dictionary[key] = try readString()
      }
    }
    return dictionary
  }

  package func readVariant() throws(BusError) -> Variant {
    guard let (_, signature) = try peek() else {
      throw BusError(name: BusError.invalidArguments, message: "an argument is missing")
    }
    return try readContainer("v", signature) { () throws(BusError) in
      switch signature {
      case "s": return .string(try readString())
      case "b": return .bool(try readBool())
      case "x": return .int64(try readInt64())
      case "u": return .uint32(try readUInt32())
      case "i": return .int32(try readInt32())
      case "as": return .strings(try readStrings())
      case "a{ss}": return .stringDictionary(try readStringDictionary())
      default:
        try skip(signature)
        return .other(signature: signature)
      }
    }
  }

  /// Reads an `a{sv}`. Where a key comes twice, the last one counts.
  package func readOptions() throws(BusError) -> [String: Variant] {
    var options: [String: Variant] = [:]
    try readArray(of: "{sv}") { () throws(BusError) in
      try readContainer("e", "sv") { () throws(BusError) in
        let key = try readString()
        options[key] = try readVariant()
      }
    }
    return options
  }
}

// MARK: Writing

extension Message {
  private func appendBasic(_ type: Character, _ value: UnsafeRawPointer) throws(BusError) {
    let code = CChar(bitPattern: type.asciiValue ?? 0)
    try check(sd_bus_message_append_basic(pointer, code, value), "sd_bus_message_append_basic")
  }

  /// Appends a string, with U+FFFD for each noncharacter: libsystemd sends none. Throws on NUL, which no
  /// D-Bus string holds.
  package func append(_ string: String) throws(BusError) {
    guard !string.utf8.contains(0) else {
      throw BusError(name: BusError.invalidArguments, message: "a string holds NUL; leave it out")
    }
    let result = string.replacingNoncharacters(with: "\u{FFFD}").withCString {
      sd_bus_message_append_basic(pointer, CChar(115), $0)
    }
    try check(result, "sd_bus_message_append_basic")
  }

  package func append(_ value: Bool) throws(BusError) {
    var raw: CInt = value ? 1 : 0
    try appendBasic("b", &raw)
  }

  package func append(_ value: UInt32) throws(BusError) {
    var raw = value
    try appendBasic("u", &raw)
  }

  package func append(_ value: Int32) throws(BusError) {
    var raw = value
    try appendBasic("i", &raw)
  }

  package func append(_ value: Int64) throws(BusError) {
    var raw = value
    try appendBasic("x", &raw)
  }

  package func append(_ strings: [String]) throws(BusError) {
    try appendContainer("a", "s") { () throws(BusError) in
      for string in strings { try append(string) }
    }
  }

  package func append(_ value: Variant) throws(BusError) {
    try appendContainer("v", value.signature) { () throws(BusError) in
      switch value {
      case .string(let string): try append(string)
      case .bool(let bool): try append(bool)
      case .int64(let number): try append(number)
      case .uint32(let number): try append(number)
      case .int32(let number): try append(number)
      case .strings(let strings): try append(strings)
      case .stringDictionary(let dictionary):
        try appendContainer("a", "{ss}") { () throws(BusError) in
          for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            try appendContainer("e", "ss") { () throws(BusError) in
              try append(key)
              try append(value)
            }
          }
        }
      case .commands(let commands):
        try appendContainer("a", "(sasas)") { () throws(BusError) in
          for command in commands {
            try appendContainer("r", "sasas") { () throws(BusError) in
              try append(command.program)
              try append(command.arguments)
              try append(command.flags)
            }
          }
        }
      case .other(let signature):
        throw BusError(
          name: BusError.invalidArguments, message: "a value of type \(signature) cannot be sent")
      }
    }
  }

  /// Appends an `a{sv}`, in the order given.
  package func append(options: [(String, Variant)]) throws(BusError) {
    try appendContainer("a", "{sv}") { () throws(BusError) in
      for (key, value) in options {
        try appendContainer("e", "sv") { () throws(BusError) in
          try append(key)
          try append(value)
        }
      }
    }
  }

  package func appendContainer(
    _ type: Character, _ contents: String, _ body: () throws(BusError) -> Void
  ) throws(BusError) {
    let code = CChar(bitPattern: type.asciiValue ?? 0)
    try check(
      sd_bus_message_open_container(pointer, code, contents), "sd_bus_message_open_container")
    try body()
    try check(sd_bus_message_close_container(pointer), "sd_bus_message_close_container")
  }
}

extension StaticString {
  fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    UnsafeRawPointer(utf8Start).withMemoryRebound(to: CChar.self, capacity: utf8CodeUnitCount + 1) {
      body($0)
    }
  }
}
