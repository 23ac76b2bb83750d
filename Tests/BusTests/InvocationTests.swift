import CSystemd
import Glibc
import TestSupport
import Testing

@testable import Bus

@Suite struct InvocationTests {
  /// The replies to one call that `answer` got, each as a value or the error's name.
  private func replies(
    expecting count: Int = 1, _ answer: @escaping (Invocation) -> Void
  ) throws -> [String] {
    let harness = try Harness()
    let slot = try harness.service.intercept(path: Harness.path) { call in
      answer(Invocation(retaining: call))
      return true
    }
    var replies: [String] = []
    for _ in 1...count {
      try harness.call { reply in
        replies.append(reply.error?.name ?? (try? reply.readString()) ?? "")
      }
    }
    withExtendedLifetime(slot) {}
    return replies
  }

  @Test func theFirstAnswerCounts() throws {
    // A second call shows that no second answer was under way.
    let answers = try replies(expecting: 2) { invocation in
      invocation.reply { reply throws(BusError) in try reply.append("first") }
      invocation.reply { reply throws(BusError) in try reply.append("second") }
      invocation.fail(BusError(name: "org.example.Error", message: "third"))
    }
    #expect(answers == ["first", "first"])
  }

  @Test func aFailureIsTheOnlyAnswer() throws {
    let answers = try replies(expecting: 2) { invocation in
      invocation.fail(BusError(name: "org.example.Error", message: "first"))
      invocation.reply { reply throws(BusError) in try reply.append("second") }
    }
    #expect(answers == ["org.example.Error", "org.example.Error"])
  }

  @Test func aDroppedCallGetsAnError() throws {
    #expect(try replies { _ in } == [BusError.noReply])
  }

  @Test func aReplyThatCannotBeFilledIsAnError() throws {
    let answers = try replies { invocation in
      invocation.reply { reply throws(BusError) in
        try reply.append("half")
        throw BusError(name: "org.example.Error", message: "no more")
      }
    }
    #expect(answers == ["org.example.Error"])
  }

  // libsystemd sends no noncharacter.
  @Test(arguments: ["\u{FFFE}", "x\u{10FFFE}y"])
  func aFailureWhoseTextCannotBeSentIsAnAnswer(_ text: String) throws {
    let answers = try replies { $0.fail(BusError(name: "org.example.Error", message: text)) }
    #expect(answers == ["org.example.Error"])
  }

  /// A descriptor among the arguments shows how long those are kept.
  @Test func aCallThatWaitsKeepsNoArguments() throws {
    let harness = try Harness()
    var kept: Invocation?
    let slot = try harness.service.intercept(path: Harness.path) { call in
      kept = Invocation(retaining: call)
      return true
    }
    var ends: [Int32] = [-1, -1]
    // No pipe: a child of another test would hold it open.
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    try #require(socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0)
    defer { close(ends[0]) }
    var answer: String?
    do {
      let call = try harness.caller.makeCall(
        to: Harness.name, path: Harness.path, interface: Harness.interface, member: "Test")
      #expect(sd_bus_message_append_basic(call.pointer, CChar(104), &ends[1]) >= 0)
      close(ends[1])
      try harness.caller.send(call) { answer = try? $0.readString() }
    }
    try harness.loop.run { kept != nil }
    var byte: UInt8 = 0
    try harness.loop.run { read(ends[0], &byte, 1) == 0 }
    kept?.reply { reply throws(BusError) in try reply.append("late") }
    try harness.loop.run { answer != nil }
    #expect(answer == "late")
    withExtendedLifetime(slot) {}
  }

  @Test func anAnswerToACallerThatHasGoneIsDropped() throws {
    let harness = try Harness()
    var kept: Invocation?
    let slot = try harness.service.intercept(path: Harness.path) { call in
      kept = Invocation(retaining: call)
      return true
    }
    do {
      let other = try harness.bus.connect()
      let call = try other.makeCall(
        to: Harness.name, path: Harness.path, interface: Harness.interface, member: "Test")
      try other.send(call) { _ in Issue.record("the caller is gone") }
      other.flush()
      try harness.loop.run { kept != nil }
    }
    kept?.reply()
    kept = nil
    // The connection still works.
    var answer: BusError?
    let call = try harness.caller.makeCall(
      to: Harness.name, path: Harness.path, interface: Harness.interface, member: "Test")
    try harness.caller.send(call) { answer = $0.error }
    try harness.loop.run { kept != nil }
    kept = nil
    try harness.loop.run { answer != nil }
    #expect(answer?.name == BusError.noReply)
    withExtendedLifetime(slot) {}
  }

  @Test func aCallThatNobodyAnswersTimesOut() throws {
    let harness = try Harness()
    var kept: [Invocation] = []
    let slot = try harness.service.intercept(path: Harness.path) { call in
      kept.append(Invocation(retaining: call))
      return true
    }
    try harness.call(timeout: 50_000) { reply in #expect(reply.error?.isTimeout == true) }
    #expect(kept.count == 1)
    withExtendedLifetime(slot) {}
  }

  @Test func aPeerThatLeavesIsNoTimeout() throws {
    let harness = try Harness()
    var kept: Invocation?
    var leaving: Connection? = try harness.bus.connect()
    #expect(try leaving?.requestName("org.example.Leaving") == true)
    try leaving?.attach(to: harness.loop)
    var slot: Slot? = try leaving?.intercept(path: "/") { call in
      kept = Invocation(retaining: call)
      return true
    }
    let call = try harness.caller.makeCall(
      to: "org.example.Leaving", path: "/", interface: "org.example.Leaving", member: "Test")
    var error: BusError?
    try harness.caller.send(call) { error = $0.error }
    try harness.loop.run { kept != nil }
    slot = nil
    leaving = nil
    #expect(slot == nil && leaving == nil)
    try harness.loop.run { error != nil }
    #expect(error?.name == BusError.noReply)
    #expect(error?.isTimeout == false)
    // An answer on a connection that is closed goes nowhere.
    kept?.reply()
  }
}
