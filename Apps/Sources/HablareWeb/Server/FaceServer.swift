import Foundation
package import Hummingbird
public import Logging
public import ServiceLifecycle

/// Serves a ``Face`` to the browsers of this machine.
///
/// ```swift
/// let server = try FaceServer(face, options: options, token: .stored(in: tokenFile), logger: logger)
/// try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
/// ```
///
/// The server prints one line with the start URL when it listens. Opening the URL gives the browser a cookie, without
/// which it gets nothing but `GET /healthz`. On a graceful shutdown the server tells open pages that it stops, answers
/// the requests that arrived, and ends after ``FaceLimits/drainTime`` at the latest.
public final class FaceServer: Service {
    /// The face that is served.
    public let face: Face

    package let options: FaceOptions
    package let token: AccessToken
    package let responder: RouterResponder<FaceContext>

    let hub: StateHub
    let desk: CommandDesk
    let connections: ConnectionRegistry
    let clock: FaceClock
    package let logger: Logger
    let onStart: @Sendable (String) -> Void

    /// Creates a server. It listens when it runs.
    ///
    /// - Parameters:
    ///   - face: The face to serve.
    ///   - options: The address, the port and the limits.
    ///   - token: The secret of the start URL. Default: a new one. Store it, so that open pages recover after a restart.
    ///   - clock: The clock for heartbeats and waits. The times of connections are measured by the network layer.
    ///   - logger: The logger.
    ///   - onStart: Is called with the start URL when the server listens on all its addresses. Default: prints the URL.
    public init(
        _ face: Face, options: FaceOptions = FaceOptions(), token: AccessToken = AccessToken(),
        clock: some Clock<Duration> = ContinuousClock(), logger: Logger,
        onStart: @escaping @Sendable (String) -> Void = FaceServer.printLine
    ) {
        self.face = face
        self.options = options
        self.token = token
        self.logger = logger
        self.onStart = onStart
        self.clock = FaceClock(clock)
        hub = StateHub(
            face.states, epoch: String(AccessToken().value.prefix(16)), limit: options.limits.streams, logger: logger)
        desk = CommandDesk(face.commands, problem: face.problem)
        connections = ConnectionRegistry(limit: options.limits.connections)
        responder = Self.router(face, options, token, self.clock, hub, desk, connections).buildResponder()
    }

    private static func router(
        _ face: Face, _ options: FaceOptions, _ token: AccessToken, _ clock: FaceClock, _ hub: StateHub,
        _ desk: CommandDesk, _ connections: ConnectionRegistry
    ) -> Router<FaceContext> {
        let router = Router(context: FaceContext.self, options: [.autoGenerateHeadEndpoints])
        let access = AccessControl(name: face.name, token: token, options: options, clock: clock)
        router.add(
            middleware: FaceGate(
                face: face, limits: options.limits, guarding: LoopbackGuard(options), access: access))
        router.get("/healthz") { _, _ -> Response in
            if hub.isStopped { throw StateHub.stopping }
            return try "ok\n".response()
        }
        access.addRoutes(to: router)
        face.assets.addRoutes(to: router)
        hub.addRoutes(to: router, connections: connections)
        desk.addRoutes(to: router, states: hub)
        face.media?.addRoutes(to: router, connections: connections)
        face.routes(router)
        return router
    }

    /// Prints a line, also if the standard output is a pipe.
    public static func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

extension String {
    fileprivate func response() throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: self)))
    }
}
