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
    products: [
        .library(name: "HablareWeb", targets: ["HablareWeb"]),
        .library(name: "HablareWebTestKit", targets: ["HablareWebTestKit"]),
        .executable(name: "sift", targets: ["SiftMain"]),
        .executable(name: "lectern", targets: ["LecternMain"]),
    ],
    dependencies: [
        .package(name: "hablare", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
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
        // Compiles the files of a target's Assets directory into the target.
        .executableTarget(name: "AssetEmbedder", swiftSettings: strict),
        .plugin(name: "EmbedAssets", capability: .buildTool(), dependencies: ["AssetEmbedder"]),
        // What every app's web face shares: server, guard, pages, state streams, commands, media, assets.
        .target(
            name: "HablareWeb",
            dependencies: [
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Assets"],
            swiftSettings: strict,
            plugins: ["EmbedAssets"]
        ),
        // A client without a browser, and the contract that every app's server keeps.
        .target(
            name: "HablareWebTestKit",
            dependencies: [
                "HablareWeb",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        // What the commands of both apps share: exit statuses, the data directory and its lock, opening the browser.
        .target(
            name: "AppCommand",
            dependencies: [
                "HablareWeb",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        // Photos, decisions, trash and view models. Knows no web and no C library.
        .target(
            name: "SiftCore",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablareLoading", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),
        // The calls of libvips that decode a photo, in one C file.
        .target(name: "CSiftImaging", dependencies: ["CVips"]),
        // Decodes photos in worker processes, because a decoder may crash on a hostile file.
        .target(
            name: "SiftImaging",
            dependencies: ["CSiftImaging", "SiftCore"],
            swiftSettings: strict
        ),
        .target(
            name: "SiftWeb",
            dependencies: [
                "AppCommand", "HablareWeb", "SiftCore",
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablareLoading", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "HablareSQLite", package: "hablare"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Assets"],
            swiftSettings: strict,
            plugins: ["EmbedAssets"]
        ),
        .executableTarget(
            name: "SiftMain",
            dependencies: [
                "AppCommand", "HablareWeb", "SiftCore", "SiftImaging", "SiftWeb",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .systemLibrary(name: "CMark", pkgConfig: "libcmark", providers: [.apt(["libcmark-dev"]), .brew(["cmark"])]),
        .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"]), .brew(["opus"])]),
        // Texts: references, chapters and importers. Knows no database, no engine and no web.
        .target(name: "LecternTexts", dependencies: ["CMark", "CZip"], swiftSettings: strict),
        // Reading, listening, marking and searching: store, narration and view models. Knows no web.
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
        .target(
            name: "LecternWeb",
            dependencies: [
                "AppCommand", "HablareWeb", "LecternCore", "LecternTexts",
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "HablareProviders", package: "hablare"),
                .product(name: "HablareSQLite", package: "hablare"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Assets"],
            swiftSettings: strict,
            plugins: ["EmbedAssets"]
        ),
        .executableTarget(
            name: "LecternMain",
            dependencies: [
                "AppCommand", "HablareWeb", "LecternCore", "LecternTexts", "LecternWeb",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        // Measures the core: decisions and grouping. scripts/bench runs it.
        .executableTarget(
            name: "sift-bench",
            dependencies: [
                "SiftCore",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/SiftBench", swiftSettings: strict),
        // Measures importing, reading and searching texts. scripts/bench runs it.
        .executableTarget(
            name: "lectern-bench",
            dependencies: [
                "LecternCore", "LecternTexts", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/LecternBench", swiftSettings: strict),
        .testTarget(
            name: "HablareWebTests",
            dependencies: [
                "HablareWeb", "HablareWebTestKit",
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "HablareTestKit", package: "hablare"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SiftCoreTests",
            dependencies: [
                "SiftCore",
                .product(name: "HablareLoading", package: "hablare"),
                .product(name: "HablarePresentation", package: "hablare"),
                .product(name: "HablareStores", package: "hablare"),
                .product(name: "HablareTestKit", package: "hablare"),
            ],
            swiftSettings: strict),
        // Workers that the tests of the pool start: the real one, and some that misbehave.
        .executableTarget(
            name: "SiftImagingTestWorker", dependencies: ["CSiftImaging", "SiftCore", "SiftImaging"],
            path: "Tests/SiftImagingTestWorker", swiftSettings: strict),
        .testTarget(
            name: "SiftImagingTests",
            dependencies: ["CSiftImaging", "SiftCore", "SiftImaging", "SiftImagingTestWorker"],
            exclude: ["Fixtures", "requirements.txt"],
            swiftSettings: strict),
        .testTarget(
            name: "SiftWebTests",
            dependencies: [
                "AppCommand", "HablareWeb", "HablareWebTestKit", "SiftCore", "SiftWeb",
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HablareTestKit", package: "hablare"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LecternTextsTests", dependencies: ["CZip", "LecternTexts"],
            exclude: ["make-references.py", "requirements.txt"], swiftSettings: strict),
        .testTarget(
            name: "LecternWebTests",
            dependencies: [
                "AppCommand", "HablareWeb", "HablareWebTestKit", "LecternCore", "LecternTexts", "LecternWeb",
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
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
            swiftSettings: strict),
    ]
)
