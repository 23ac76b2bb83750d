import Testing

@testable import Navigation

@Test func emptyPolicyHasNothingActive() {
  #expect(Policy().active == nil)
}
