// swift-tools-version: 6.2
import PackageDescription

/// Language mode 6 with every upcoming feature that Swift 6.3 offers and that we rely on, and no warnings.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

/// What speaks HTTP, as a client and as the server of a test.
let http: [Target.Dependency] = [
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
]

/// The commit that `make install` builds, as `git describe` prints it: 12 hexadecimal digits, with `-dirty` behind them if
/// the sources have changes. Other builds do not say it, so that a commit builds nothing again.
func commit() -> [CSetting] {
    let parts = (Context.environment["HABLARE_COMMIT"] ?? "").split(separator: "-")
    guard let digits = parts.first, digits.count == 12, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
        return []
    }
    return [.define("HABLARE_COMMIT", to: "0x\(digits)ULL")] + (parts.count > 1 ? [.define("HABLARE_CHANGED")] : [])
}

let package = Package(
    name: "hablare",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Hablare", targets: ["Hablare"]),
        .library(name: "HablareStores", targets: ["HablareStores"]),
        .library(name: "HablareStructured", targets: ["HablareStructured"]),
        .library(name: "HablareLoading", targets: ["HablareLoading"]),
        .library(name: "HablareSQLite", targets: ["HablareSQLite"]),
        .library(name: "HablarePersistence", targets: ["HablarePersistence"]),
        .library(name: "HablareData", targets: ["HablareData"]),
        .library(name: "HablareSwiftData", targets: ["HablareSwiftData"]),
        .library(name: "HablarePresentation", targets: ["HablarePresentation"]),
        .library(name: "HablareProviders", targets: ["HablareProviders"]),
        .library(name: "HablareNetwork", targets: ["HablareNetwork"]),
        .library(name: "HablareURLSession", targets: ["HablareURLSession"]),
        .library(name: "HablareSpeech", targets: ["HablareSpeech"]),
        .library(name: "HablareAudio", targets: ["HablareAudio"]),
        .library(name: "HablareTestKit", targets: ["HablareTestKit"]),
        .library(name: "HablarePresentationTestKit", targets: ["HablarePresentationTestKit"]),
        .executable(name: "hablare", targets: ["HablareMain"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    ],
    targets: [
        // Generic types that other targets specialize for their own values, so they are public and inlinable; not among
        // the products.
        .target(
            name: "HablareSupport",
            dependencies: [.product(name: "HeapModule", package: "swift-collections")],
            swiftSettings: strict
        ),
        .target(
            name: "Hablare",
            dependencies: [
                "HablareSupport",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            // In the program itself, and not in a bundle beside it, which could be missing.
            resources: [.embedInCode("Ledger/prices.json")],
            swiftSettings: strict
        ),
        // What every store does with its rows, and the store in memory.
        .target(
            name: "HablareStores",
            dependencies: [
                "Hablare", "HablareSupport",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        // Reads and writes a parameter's value as JSON, for our other targets; not among the products.
        .target(name: "HablareJSON", dependencies: ["Hablare"], swiftSettings: strict),
        .target(
            name: "HablareStructured",
            dependencies: ["Hablare", "HablareJSON", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict
        ),
        .target(
            name: "HablareLoading",
            dependencies: [
                "Hablare", "HablareFileErrors", "HablareFiles", "HablareSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        // Files on the disk: durable writes, locks, changes; not among the products.
        .target(name: "HablareFiles", swiftSettings: strict),
        // Failures of files as errors of the engine, for stores and caches; not among the products.
        .target(name: "HablareFileErrors", dependencies: ["Hablare", "HablareFiles"], swiftSettings: strict),
        .target(
            name: "HablareSQLite",
            dependencies: [
                "Hablare", "HablareFileErrors", "HablareFiles", "HablareJSON", "HablareStores", "HablareSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "HablarePersistence",
            dependencies: ["HablareFiles", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict
        ),
        .target(
            name: "HablareData",
            dependencies: [
                "Hablare", "HablareFiles", "HablareJSON", "HablareStructured", "HablareSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        // Apple's platforms only; elsewhere there is nothing in it, and no check of this project builds it.
        .target(name: "HablareSwiftData", dependencies: ["HablareData"], swiftSettings: strict),
        // Apple's platforms have Combine; elsewhere OpenCombine is the same by another name.
        .target(
            name: "HablarePresentation",
            dependencies: [
                "Hablare", "HablareSupport",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict
        ),
        // Only the Command provider runs programs. The condition keeps swift-subprocess, which does not exist for iOS,
        // away from an app that links the other providers.
        .target(
            name: "HablareProviders",
            dependencies: [
                "Hablare", "HablareFiles", "HablareJSON", "HablareSpeech", "HablareSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(
                    name: "Subprocess", package: "swift-subprocess", condition: .when(platforms: [.macOS, .linux])),
                .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
            ],
            // In the program itself, and not in a bundle beside it, which could be missing.
            resources: [.embedInCode("Models/models.json")],
            swiftSettings: strict
        ),
        // The providers' transport over async-http-client. Apart from them, so that an app may bring another.
        .target(
            name: "HablareNetwork",
            dependencies: [
                "Hablare", "HablareProviders", "HablareSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ] + http,
            swiftSettings: strict
        ),
        // The providers' transport over the system's URLSession.
        .target(
            name: "HablareURLSession",
            dependencies: [
                "Hablare", "HablareProviders", "HablareSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict
        ),
        .target(name: "HablareSpeech", swiftSettings: strict),
        .systemLibrary(
            name: "CSndfile",
            pkgConfig: "sndfile",
            providers: [.apt(["libsndfile1-dev"]), .brew(["libsndfile"])]
        ),
        .target(name: "HablareAudio", dependencies: ["CSndfile", "HablareFiles"], swiftSettings: strict),
        // The commit that the command was built from.
        .target(name: "HablareBuild", cSettings: commit()),
        .target(
            name: "HablareCommand",
            dependencies: [
                "Hablare", "HablareAudio", "HablareBuild", "HablareFiles", "HablareJSON", "HablareNetwork",
                "HablareProviders", "HablareSQLite",
                "HablareSpeech", "HablareStructured", "HablareSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict
        ),
        // Named apart from its product: on a file system that ignores case, "hablare" and "Hablare" are one folder.
        .executableTarget(
            name: "HablareMain",
            dependencies: ["HablareCommand"],
            swiftSettings: strict
        ),
        .target(
            name: "HablareTestKit",
            dependencies: [
                "Hablare", "HablareStores", "HablareSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // Apart from the other test kit, so that the tests of a provider do not fetch OpenCombine.
        .target(
            name: "HablarePresentationTestKit",
            dependencies: [
                "Hablare", "HablarePresentation", "HablareSupport", "HablareTestKit",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict),
        // Simulates whole systems of processes, in the tests and in hablare-simulate; not among the products.
        .target(
            name: "HablareSimulation",
            dependencies: [
                "Hablare", "HablareStores", "HablareSupport", "HablareTestKit",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        // Real servers on loopback, for the tests; not among the products.
        .target(
            name: "HablareTestServers",
            dependencies: ["Hablare", "HablareNetwork", "HablareProviders", "HablareSupport"] + http,
            swiftSettings: strict),
        // Folders and disks for the tests; not among the products.
        .target(name: "HablareTestFiles", swiftSettings: strict),
        // Only `make simulate` builds it; it is not among the products.
        .executableTarget(
            name: "hablare-simulate",
            dependencies: [
                "Hablare", "HablareSimulation", "HablareTestKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/HablareSimulate",
            swiftSettings: strict
        ),
        .testTarget(
            name: "HablareTests",
            dependencies: [
                "Hablare", "HablareFileErrors", "HablareFiles", "HablareJSON", "HablareLoading", "HablareSQLite",
                "HablareSimulation", "HablareStores", "HablareStructured",
                "HablareSupport", "HablareTestFiles", "HablareTestKit",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HablareProvidersTests",
            dependencies: [
                "Hablare", "HablareFiles", "HablareJSON", "HablareNetwork", "HablareProviders", "HablareStores",
                "HablareStructured", "HablareSupport", "HablareTestKit", "HablareTestServers",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "HablareNetworkTests",
            dependencies: [
                "Hablare", "HablareNetwork", "HablareProviders",
                "HablareSupport", "HablareTestServers", "HablareURLSession",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ] + http,
            swiftSettings: strict),
        .testTarget(name: "HablareSpeechTests", dependencies: ["HablareSpeech"], swiftSettings: strict),
        .testTarget(
            name: "HablareAudioTests", dependencies: ["HablareAudio", "HablareFiles", "HablareTestFiles"],
            swiftSettings: strict),
        .testTarget(
            name: "HablareSQLiteTests",
            dependencies: [
                "Hablare", "HablareFiles", "HablareSQLite", "HablareStores",
                "HablareSupport", "HablareTestFiles", "HablareTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "HablareFilesTests", dependencies: ["HablareFiles", "HablareTestFiles"], swiftSettings: strict),
        .testTarget(
            name: "HablarePersistenceTests",
            dependencies: [
                "Hablare", "HablareFiles", "HablarePersistence", "HablarePresentation",
                "HablareSupport", "HablareTestFiles",
                "HablareTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HablareDataTests",
            dependencies: [
                "Hablare", "HablareData", "HablarePersistence", "HablareSQLite", "HablareSimulation",
                "HablareStores", "HablareStructured", "HablareSupport", "HablareTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HablarePresentationTests",
            dependencies: [
                "Hablare", "HablarePresentation", "HablarePresentationTestKit", "HablareStores",
                "HablareSupport", "HablareTestKit",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HablareCommandTests",
            dependencies: [
                "Hablare", "HablareAudio", "HablareCommand", "HablareJSON", "HablareNetwork", "HablareProviders",
                "HablareSQLite", "HablareSpeech", "HablareStores", "HablareStructured",
                "HablareSupport", "HablareTestFiles",
                "HablareTestKit",
                "HablareTestServers",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
    ]
)
