import Testing

@testable import sovereign_navigation

struct ArgumentsTests {
  @Test func sortsOptionsFromOperands() throws {
    let arguments = try Arguments(
      [
        "a", "--instance", "b", "--json", "--instance=c=d", "-", "--active", "-x", "--instance=",
        "--", "--json", "-0", "--",
      ], for: .decide)
    #expect(arguments.operands == ["a", "-", "--json", "-0", "--"])
    #expect(arguments.all(.instance) == ["b", "c=d", ""])
    #expect(try arguments.value(.active) == "-x")
    #expect(arguments.has(.json))
    #expect(!arguments.has(.nul))
  }

  @Test(arguments: [
    // To a String, the = and the mark behind it are one character, and none that is =.
    "--label=\u{301}x", "--label=a=b", "--label= ",
  ]) func takesEveryValue(_ argument: String) throws {
    let arguments = try Arguments([argument], for: .instances)
    #expect(
      try arguments.value(.label)?.unicodeScalars.elementsEqual(
        argument.unicodeScalars.dropFirst("--label=".unicodeScalars.count)) == true)
  }

  @Test(arguments: [
    (["--nonsense"], "--nonsense is no option of decide; try sovereign-navigation help decide"),
    (["--clear"], "--clear is no option of decide; try sovereign-navigation help decide"),
    (["-json"], "-json is no option of decide; try sovereign-navigation help decide"),
    (["-0x"], "-0x is no option of decide; try sovereign-navigation help decide"),
    (["--=x"], "-- is no option of decide; try sovereign-navigation help decide"),
    (["--json=yes"], "--json takes no value"),
    (["--json="], "--json takes no value"),
    (["x", "--active"], "--active needs a value"),
  ]) func refuses(_ arguments: [String], _ message: String) {
    let error = #expect(throws: ToolError.self) { try Arguments(arguments, for: .decide) }
    #expect(error?.message == message)
    #expect(error?.status == .usage)
  }

  @Test func countsWhatMayComeOnce() throws {
    let arguments = try Arguments(["a", "b", "--active=c", "--active=d"], for: .decide)
    #expect(throws: ToolError.self) { try arguments.value(.active) }
    #expect(throws: ToolError.self) { try arguments.single("URL") }
    #expect(try Arguments([], for: .decide).single("URL") == nil)
  }
}
