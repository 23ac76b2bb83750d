import Testing

@testable import Preferences

@Test(
  arguments: [
    ("ActiveOrgin", "ActiveOrigin"), ("activeorigin", "ActiveOrigin"), ("Active", nil),
    ("Brwoser", "Browser"), ("Browsers", "Browser"), ("Shel", "Shell"), ("Schema", "Schemes"),
    ("KnownInstance", "KnownInstances"), ("folow", "Follow"), ("Notfy", "Notify"), ("", nil),
    ("x", nil), ("Colour", nil), (String(repeating: "ActiveOrigin", count: 9), nil),
  ] as [(String, String?)])
func suggestsTheKeyThatWasMeant(_ name: String, _ key: String?) {
  #expect(nearest(to: name, among: Key.allCases.map(\.rawValue)) == key)
}

@Test func asksTheWayTheDesignSays() {
  let problem = Problem.unknownKey("ActiveOrgin", group: "Navigation", suggestion: "ActiveOrigin")
  #expect(
    "\(problem)" == "`ActiveOrgin`: not a key of this file; did you mean `ActiveOrigin`?")
}
