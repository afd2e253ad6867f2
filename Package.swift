// swift-tools-version: 6.0
import PackageDescription

// Dependencies point downward only. The targets of the pure core import no C module at all;
// contrib/test builds with --explicit-target-dependency-import-check error and greps for the rest.

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

func pure(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func shell(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies,
    swiftSettings: strict)
}

func fuzz(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "fuzz-\(name)", dependencies: dependencies, path: "Tests/Fuzz/\(name)",
    swiftSettings: strict)
}

let package = Package(
  name: "wsii",
  targets: [
    // The system, as C headers. CCurl has no link flag: libcurl is loaded when a connection first
    // needs it, because mapping its thirty libraries costs every other command 5 ms.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "CurlShim", dependencies: ["CCurl"], cSettings: [.define("_GNU_SOURCE")]),

    // The pure core.
    pure("Bytes"),
    pure("Timeline"),
    pure("JSONText", ["Bytes"]),
    pure("WebSocket", ["Bytes", "Timeline"]),
    pure("Session", ["Bytes", "Timeline", "JSONText", "WebSocket"]),
    pure("Hub", ["Bytes", "Timeline", "JSONText", "WebSocket"]),
    pure("Options", ["Bytes", "WebSocket", "Hub"]),

    // The shell around it.
    shell("Posix", ["CLinux", "Bytes", "Timeline"]),
    shell("Reactor", ["CLinux", "Posix", "Timeline"]),
    shell("Transport", ["CurlShim", "Posix", "Reactor", "Timeline"]),
    shell(
      "Daemon",
      [
        "Bytes", "Timeline", "JSONText", "WebSocket", "Session", "Hub", "Options", "Posix",
        "Reactor", "Transport",
      ]),
    .executableTarget(name: "wsii", dependencies: ["Daemon"], swiftSettings: strict),

    // For developers: a client that gives every message back, for conformance suites.
    .executableTarget(
      name: "echo-client",
      dependencies: ["Bytes", "Timeline", "WebSocket", "Posix", "Reactor", "Transport"],
      path: "Tests/EchoClient", swiftSettings: strict),

    // What the tests of several targets need.
    .target(
      name: "TestSupport", dependencies: ["Posix", "Reactor", "Timeline"], path: "Tests/Support",
      swiftSettings: strict),

    tests(of: "Bytes"),
    tests(of: "Timeline"),
    tests(of: "JSONText", ["Bytes"]),
    tests(of: "WebSocket", ["Bytes", "Timeline", "fuzz-frames", "fuzz-handshake"]),
    tests(
      of: "Session", ["Bytes", "Timeline", "JSONText", "WebSocket", "fuzz-session", "fuzz-native"]),
    tests(of: "Hub", ["Bytes", "Timeline", "JSONText", "WebSocket", "fuzz-hub"]),
    tests(of: "Options", ["WebSocket", "Hub"]),
    tests(of: "Posix", ["Bytes", "Timeline", "TestSupport"]),
    tests(of: "Reactor", ["Posix", "Timeline", "TestSupport"]),
    tests(of: "Transport", ["Posix", "Reactor", "Timeline", "TestSupport"]),
    tests(
      of: "Daemon",
      [
        "wsii", "Bytes", "Hub", "Options", "Posix", "Reactor", "Session", "TestSupport", "Timeline",
        "Transport", "WebSocket",
      ]),

    fuzz("json", ["Bytes", "JSONText"]),
    fuzz("frames", ["Bytes", "Timeline", "WebSocket"]),
    fuzz("handshake", ["Bytes", "Timeline", "WebSocket"]),
    fuzz("options", ["Options"]),
    fuzz("hub", ["Bytes", "Timeline", "JSONText", "WebSocket", "Hub"]),
    fuzz("native", ["Bytes", "Timeline", "JSONText", "WebSocket", "Session", "Hub"]),
    fuzz("session", ["Bytes", "Timeline", "JSONText", "WebSocket", "Session"]),
  ],
  swiftLanguageModes: [.v6]
)
