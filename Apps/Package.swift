// swift-tools-version: 6.2
import PackageDescription

// The applications are a package of their own, so that an app that links the libraries neither fetches nor builds a web
// server (ADR-080).

/// The settings of the libraries: language mode 6, every upcoming feature that we rely on, and no warnings.
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

let package = Package(
    name: "hablare-apps",
    platforms: [.macOS(.v15)],
    products: [],
    dependencies: [
        .package(name: "hablare", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
.systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
.systemLibrary(name: "CMark", pkgConfig: "libcmark", providers: [.apt(["libcmark-dev"]), .brew(["cmark"])]),
.systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"]), .brew(["opus"])]),
.target(name: "LecternTexts", dependencies: ["CMark", "CZip"], swiftSettings: strict),
.target(
            name: "LecternCore",
            dependencies: [
                "COpus", "CZip", "LecternTexts",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablareAudio", package: "hablare"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablareLoading", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "HablareProviders", package: "hablare"),
                .product(name: "HablareSpeech", package: "hablare"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
.testTarget(
            name: "LecternCoreTests",
            dependencies: [
                "LecternCore", "LecternTexts",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablareAudio", package: "hablare"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "HablareProviders", package: "hablare"),
                .product(name: "HablareSQLite", package: "hablare"),
                .product(name: "HablareStores", package: "hablare"),
                .product(name: "HablareTestKit", package: "hablare"),
            ],
            swiftSettings: strict)
    ]
)
