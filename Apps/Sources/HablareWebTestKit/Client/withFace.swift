public import HablareWeb
public import Logging
import ServiceLifecycle

/// Serves a face while a test runs, and gives the test a client that has opened the start URL.
///
/// ```swift
/// @Test(arguments: FaceTransport.allCases) func showsTheDeck(over transport: FaceTransport) async throws {
///     try await withFace(face, over: transport) { client in
///         let page = try await client.page("/")
///         #expect(page.text.contains("Holiday"))
///     }
/// }
/// ```
///
/// - Parameters:
///   - face: The face.
///   - transport: The way to it.
///   - options: The server's options. With ``FaceTransport/socket``, the port is always a free one.
///   - clock: The clock of heartbeats.
///   - logger: The server's logger. Default: one that drops everything.
///   - body: The test.
/// - Returns: The value of the test.
public func withFace<Value: Sendable>(
    _ face: Face, over transport: FaceTransport, options: FaceOptions = FaceOptions(),
    clock: some Clock<Duration> = ContinuousClock(), logger: Logger = .silent,
    _ body: @escaping @Sendable (FaceClient) async throws -> Value
) async throws -> Value {
    var options = options
    if transport == .socket { options.port = 0 }
    let (starts, start) = AsyncStream.makeStream(of: String.self)
    let server = FaceServer(face, options: options, clock: clock, logger: logger) { start.yield($0) }
    switch transport {
    case .router:
        return try await server.whileStatesRun {
            try await RouterConnection.with(server) { try await test(FaceClient($0, token: server.token), body) }
        }
    case .socket:
        let services = ServiceGroup(services: [server], logger: logger)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                defer { start.finish() }
                try await services.run()
                return nil
            }
            group.addTask {
                for await link in starts {
                    return try await SocketConnection.with(link) {
                        try await test(FaceClient($0, token: server.token), body)
                    }
                }
                throw FaceClientError("The server did not start.")
            }
            var result: Value?
            while let value = try await group.next() {
                guard let value else { continue }
                result = value
                await services.triggerGracefulShutdown()
            }
            guard let result else { throw FaceClientError("The server ended before the test.") }
            return result
        }
    }
}

private func test<Value: Sendable>(
    _ client: FaceClient, _ body: @Sendable (FaceClient) async throws -> Value
) async throws -> Value {
    try await client.open()
    return try await body(client)
}

extension Logger {
    /// A logger that drops everything.
    public static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
