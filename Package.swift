// swift-tools-version: 6.2
import PackageDescription

/// One strict list for every Swift target.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "sovereign-navigation",
  products: [
    .library(name: "SovereignNavigation", targets: ["NavigationClient"]),
    .library(name: "WebOrigin", targets: ["WebOrigin"]),
    .executable(name: "sovereign-navigationd", targets: ["sovereign-navigationd"]),
    .executable(name: "sovereign-navigation", targets: ["sovereign-navigation"]),
  ],
  targets: [
    // C: system libraries, and the two pieces that are C because their interface is.
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .target(name: "CICU", cSettings: strictC),
    .systemLibrary(name: "CByteScan"),
    .target(
      name: "CNavigationInterface", dependencies: ["CSystemd"], cSettings: strictC),
    .target(name: "CSpawn", cSettings: strictC),

    // string → origin → decision → launch plan: values, without bus or process.
    .target(name: "WebOrigin", dependencies: ["CByteScan", "CICU"], swiftSettings: strict),
    .target(name: "Navigation", dependencies: ["WebOrigin"], swiftSettings: strict),
    .target(name: "Files", dependencies: ["CGLib"], swiftSettings: strict),
    .target(name: "Desktop", dependencies: ["Files"], swiftSettings: strict),

    // effect: the file, the bus, the processes.
    .target(
      name: "Preferences", dependencies: ["CJansson", "Files", "Navigation", "WebOrigin"],
      swiftSettings: strict),
    .target(name: "Bus", dependencies: ["CSystemd"], swiftSettings: strict),
    .target(
      name: "Launcher",
      dependencies: ["Bus", "CSpawn", "Desktop", "Files", "Navigation", "WebOrigin"],
      swiftSettings: strict),
    .target(
      name: "NavigationService",
      dependencies: [
        "Bus", "CNavigationInterface", "CSystemd", "Desktop", "Files", "Launcher", "Navigation",
        "Preferences", "WebOrigin",
      ],
      swiftSettings: strict),
    .target(
      name: "NavigationClient", dependencies: ["Bus", "Navigation", "WebOrigin"],
      swiftSettings: strict),
    .executableTarget(
      name: "sovereign-navigationd", dependencies: ["NavigationService"], swiftSettings: strict),
    .executableTarget(
      name: "sovereign-navigation",
      dependencies: [
        "Bus", "Desktop", "Files", "Launcher", "Navigation", "NavigationClient", "Preferences",
        "WebOrigin",
      ],
      swiftSettings: strict),

    .testTarget(
      name: "PreferencesTests",
      dependencies: ["Files", "Navigation", "Preferences", "TestSupport", "WebOrigin"],
      swiftSettings: strict),
    // What Tests/tools/save-faults runs under strace.
    .executableTarget(
      name: "preferences-probe", dependencies: ["Files", "Navigation", "Preferences", "WebOrigin"],
      path: "Tests/PreferencesProbe", swiftSettings: strict),
    // What Tests/tools/registration-faults runs under strace.
    .executableTarget(
      name: "registration-probe", dependencies: ["Desktop", "Files"],
      path: "Tests/RegistrationProbe", swiftSettings: strict),
    .testTarget(
      name: "DesktopTests", dependencies: ["Desktop", "Files", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "FilesTests", dependencies: ["Files"], swiftSettings: strict),
    .testTarget(
      name: "WebOriginTests", dependencies: ["TestSupport", "WebOrigin"], swiftSettings: strict),
    .testTarget(
      name: "NavigationTests", dependencies: ["Navigation", "WebOrigin"], swiftSettings: strict),

    .testTarget(
      name: "NavigationClientTests",
      dependencies: [
        "Bus", "Navigation", "NavigationClient", "TestSupport", "WebOrigin",
        "sovereign-navigation",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "Desktop", "Files", "Navigation", "Preferences", "TestSupport", "WebOrigin",
        "sovereign-navigation",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "BusTests", dependencies: ["Bus", "CSystemd", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "LauncherTests",
      dependencies: [
        "Bus", "Desktop", "Files", "Launcher", "Navigation", "TestSupport", "WebOrigin",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NavigationServiceTests",
      dependencies: [
        "Bus", "Files", "Launcher", "Navigation", "NavigationService", "Preferences", "TestSupport",
        "WebOrigin",
      ],
      swiftSettings: strict),

    // The installed programs, on a bus of their own and in a systemd session: `make test`.
    .target(
      name: "TestSupport", dependencies: ["Bus", "CSystemd"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests", dependencies: ["Bus", "TestSupport"], swiftSettings: strict),
  ]
)

// libFuzzer brings the `main` of these, and only `make fuzz` links it.
if Context.environment["FUZZING"] != nil {
  for (name, directory) in [
    ("fuzz-origin", "Origin"), ("fuzz-deep-links", "DeepLinks"),
    ("fuzz-outgoing-url", "OutgoingURL"),
  ] {
    package.targets.append(
      .executableTarget(
        name: name, dependencies: ["Navigation", "WebOrigin"], path: "Tests/Fuzzing/\(directory)",
        swiftSettings: strict))
  }
}

// Its peers come from elsewhere, and only `make bench-origin` has them.
if Context.environment["BENCHMARKING"] != nil {
  package.targets += [
    .systemLibrary(name: "CPeers", path: "Benchmarks/origin/CPeers"),
    .executableTarget(
      name: "bench-origin", dependencies: ["CPeers", "Navigation", "WebOrigin"],
      path: "Benchmarks/origin/Program", swiftSettings: strict),
  ]
}
