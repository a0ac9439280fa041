import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

extension FaceServer {
    /// Listens and serves until a graceful shutdown or until the task is cancelled.
    ///
    /// - Throws: ``FaceServerError`` if an address or port cannot be used.
    public func run() async throws {
        do {
            try await whileStatesRun { try await self.listen() }
        } catch is CancellationError where hub.isStopped && !Task.isCancelled {
            logger.warning("Requests were cut because they did not end in the drain time")
        }
    }

    /// Reads the states while an operation runs. Tests without a socket use it alone.
    package func whileStatesRun<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    await self.hub.run(self.clock)
                    return nil
                }
                group.addTask {
                    try await gracefulShutdown()
                    try await self.clock.sleep(self.options.limits.drainTime)
                    self.connections.closeAll()
                    return nil
                }
                group.addTask { try await operation() }
                defer { group.cancelAll() }
                // Without a value, the first two tasks end only when it is time to cancel the third.
                guard let value = try await group.next() ?? nil else { throw CancellationError() }
                return value
            }
        } onGracefulShutdown: {
            self.hub.stop()
        }
    }

    private func listen() async throws {
        switch options.address {
        case .network(let host, _):
            try await withThrowingTaskGroup(of: Void.self) { group in
                let listener = listener(on: host, port: options.port)
                let port = try await listener.start(in: &group)
                let isAny = host == "0.0.0.0" || host == "::"
                let name = isAny ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
                announce("\(name):\(port)")
                try await group.waitForAll()
            }
        case .loopback:
            if options.port == 0, options.preferredPort != 0 {
                do {
                    _ = try await listenOnLoopback(options.preferredPort, isLastAttempt: true)
                    return
                } catch let error as FaceServerError where error.code == .portTaken {
                    logger.info("The port of the last run is taken", metadata: ["port": "\(options.preferredPort)"])
                }
            }
            for attempt in 1...
            where try await listenOnLoopback(options.port, isLastAttempt: options.port != 0 || attempt == 5) {
                return
            }
        }
    }

    /// Serves on both loopback addresses. Returns `false` if the port is taken on the second address.
    private func listenOnLoopback(_ port: Int, isLastAttempt: Bool) async throws -> Bool {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let first = listener(on: "127.0.0.1", port: port)
            let port = try await first.start(in: &group)
            do {
                _ = try await listener(on: "::1", port: port).start(in: &group)
            } catch let error as FaceServerError where error.code == .portTaken {
                await first.stop()
                if isLastAttempt { throw error }
                try await group.waitForAll()
                return false
            } catch let error as FaceServerError where error.code == .noSuchAddress {
                logger.info("No IPv6 on this machine", metadata: ["address": "::1"])
            }
            announce("127.0.0.1:\(port)")
            try await group.waitForAll()
            return true
        }
    }

    private func announce(_ authority: String) {
        logger.info("Listening", metadata: ["address": "\(authority)"])
        onStart("http://\(authority)/start?token=\(token.value)")
    }

    private func listener(on host: String, port: Int) -> FaceListener {
        FaceListener(host: host, port: port, server: self)
    }
}
