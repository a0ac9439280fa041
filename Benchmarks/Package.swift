// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who links the libraries builds the benchmarks.
let package = Package(
    name: "hablare-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "hablare", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .executableTarget(
            name: "hablare-bench",
            dependencies: [
                .product(name: "Hablare", package: "hablare"),
                .product(name: "HablareData", package: "hablare"),
                .product(name: "HablareLoading", package: "hablare"),
                .product(name: "HablareNetwork", package: "hablare"),
                .product(name: "HablarePersistence", package: "hablare"),
                .product(name: "HablareProviders", package: "hablare"),
                .product(name: "HablareSQLite", package: "hablare"),
                .product(name: "HablareStores", package: "hablare"),
                .product(name: "HablareTestKit", package: "hablare"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Sources/HablareBench",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ]
        )
    ]
)
