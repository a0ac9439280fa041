import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// One address that a server listens on.
struct FaceListener {
    private let host: String
    private let port: Int
    private let services: ServiceGroup
    private let starts: AsyncStream<Result<Int, any Error>>
    private let starting: AsyncStream<Result<Int, any Error>>.Continuation

    init(host: String, port: Int, server: FaceServer) {
        self.host = host
        self.port = port
        let (starts, starting) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
        (self.starts, self.starting) = (starts, starting)
        let limits = server.options.limits
        let connections = server.connections
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionHandler(connections, limits: limits)],
            idleTimeout: TimeAmount(limits.idleTime),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerFieldBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerFields))
        var logger = server.logger
        logger.logLevel = max(logger.logLevel, .notice)  // the server itself says where it listens
        let application = Application(
            responder: server.responder, server: .http1(configuration: configuration),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { channel in starting.yield(.success(channel.localAddress?.port ?? port)) },
            logger: logger)
        services = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
    }

    /// Listens, and serves in a child task of a group. Returns the port.
    func start(in group: inout ThrowingTaskGroup<Void, any Error>) async throws -> Int {
        group.addTask { [services, starting] in
            do {
                try await services.run()
                starting.finish()
            } catch {
                // The failure to listen is for the caller of this function; a later one is for the group.
                if case .terminated = starting.yield(.failure(error)) { throw error }
            }
        }
        defer { starting.finish() }
        for await start in starts {
            switch start {
            case .success(let port): return port
            case .failure(let error): throw FaceServerError(error, host: host, port: port)
            }
        }
        throw CancellationError()
    }

    /// Stops listening. The child task then ends.
    func stop() async { await services.triggerGracefulShutdown() }
}
