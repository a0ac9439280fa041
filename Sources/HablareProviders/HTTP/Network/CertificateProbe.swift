import Hablare
import NIOCore
import NIOPosix
import NIOSSL

/// Finds out why a certificate was not trusted, since the library that refused it does not say: connects once more, looks
/// at the certificates that the server shows, and hangs up. Nothing is sent.
struct CertificateProbe {
    /// How long it may take in all.
    let timeout: Duration

    /// What is wrong with certificates that nobody trusts, at a time. Pure.
    ///
    /// Looked at are the server's own and those of who signed it, as far as they are shown: what a server shows beside them
    /// nobody needs, and it may be as old as it likes.
    ///
    /// - Parameter chain: The certificates that are shown, the server's own first.
    static func reason(for chain: [ShownCertificate], at now: Int) -> HTTPFailure.Reason {
        var rest = chain
        guard !rest.isEmpty else { return .certificate }
        var current = rest.removeFirst()
        while current.holds(at: now) {
            // Who signed itself, or is not known to be signed by anybody, is the end of the way.
            guard current.issuer != current.subject, !current.issuer.isEmpty else { return .certificate }
            let issuers = rest.indices.filter { rest[$0].subject == current.issuer }
            // An authority may have several, of which one that holds will do.
            guard let next = issuers.first(where: { rest[$0].holds(at: now) }) ?? issuers.first else {
                return .certificate
            }
            current = rest.remove(at: next)
        }
        return .certificateExpired
    }

    /// The certificates that a server shows, its own first; empty where none is to be had.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, which ends the connection.
    func chain(of origin: HTTPOrigin) async throws(CancellationError) -> [ShownCertificate] {
        let seen = Guarded<[ShownCertificate]>([])
        let over = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        await withTaskCancellationHandler {
            connect(to: origin, until: over.futureResult, seen).cascade(to: over)
            // The handshake fails as it must, or the server is slow: either is the end.
            let limit = over.futureResult.eventLoop.scheduleTask(in: TimeAmount(timeout)) { over.succeed() }
            defer { limit.cancel() }
            do { try await over.futureResult.get() } catch { return }  // however it ended, what was seen counts
        } onCancel: {
            over.fail(CancellationError())
        }
        guard !Task.isCancelled else { throw CancellationError() }
        return seen.withLock { $0 }
    }

    /// Connects, and looks.
    ///
    /// - Parameter over: Ends the connection, however far it has come.
    /// - Returns: The end of the connection.
    private func connect(
        to origin: HTTPOrigin, until over: EventLoopFuture<Void>, _ seen: Guarded<[ShownCertificate]>
    ) -> EventLoopFuture<Void> {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        let context: NIOSSLContext
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            return over.eventLoop.makeFailedFuture(error)
        }
        let name = IPAddressBlock(origin.host) == nil ? origin.host : nil
        return ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(timeout))
            .channelInitializer { channel in
                over.whenComplete { _ in channel.close(promise: nil) }
                return channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: name,
                        customVerificationCallback: { certificates, promise in
                            promise.completeWith(
                                Result {
                                    let shown = try certificates.map { try ShownCertificate($0) }
                                    seen.withLock { $0 = shown }
                                    return .failed
                                })
                        })
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: origin.host, port: origin.port)
            .flatMap { $0.closeFuture }
    }
}
