import Bus
import Navigation
import Testing
import WebOrigin

@testable import NavigationService

private let origin = Origin(scheme: "https", host: "a.example", port: nil)

@Suite struct ErrorNameTests {
  @Test(arguments: NavigationError.Code.allCases)
  func eachErrorHasTheNameOfTheContract(_ code: NavigationError.Code) {
    let error = BusError(NavigationError(code, "what to do"))
    #expect(error.name == "fs.sovereign.Navigation.Error.\(code.rawValue)")
    #expect(error.message == "what to do")
    #expect(NavigationError(name: error.name, message: error.message)?.code == code)
  }

  @Test func theNamesAreTheOnesOfTheContract() {
    #expect(
      Set(NavigationError.Code.allCases.map(\.rawValue)) == [
        "InvalidUrl", "UnsupportedScheme", "NoBrowser", "NoShell", "NoHandler", "LaunchFailed",
        "LoopDetected", "NotAllowed", "Locked", "StoreFailed", "UnknownInstance", "LimitExceeded",
      ])
  }

  @Test(arguments: [
    (InstanceAddressError.malformed("x"), "InvalidUrl"), (.credentials, "InvalidUrl"),
    (.ambiguousHost("x"), "InvalidUrl"), (.unsupportedScheme("ftp"), "UnsupportedScheme"),
    (.schemeOrUser("user"), "UnsupportedScheme"),
    (.tooLong, "LimitExceeded"),
  ])
  func addresses(_ error: InstanceAddressError, _ name: String) {
    #expect(BusError(error).name == "fs.sovereign.Navigation.Error.\(name)")
    #expect(BusError(error).message == error.description)
  }

  @Test(arguments: [
    (PolicyChangeError.unknownInstance(origin), "UnknownInstance"),
    (.presetInstance(origin), "Locked"), (.tooManyInstances, "LimitExceeded"),
    (.labelTooLong, "LimitExceeded"), (.notSwitched(origin), "NotAllowed"),
  ])
  func changes(_ error: PolicyChangeError, _ name: String) {
    #expect(BusError(error).name == "fs.sovereign.Navigation.Error.\(name)")
    #expect(BusError(error).message == error.description)
  }
}
