import Hablare
import NIOCore
import NIOPosix
import NIOSSL

/// Finds out why a certificate was not trusted, since the library that refused it does not say: connects once more, looks
/// at the certificates that the server shows, and hangs up. Nothing is sent.
struct CertificateProbe {
    /// What certificates say of the time in which they hold, in seconds since 1970.
    struct Validity: Sendable, Hashable {
        let begins: Int
        let ends: Int
    }

    let timeout: Duration

    /// What is wrong with certificates that nobody trusts, at a time. Pure.
    static func reason(for chain: [Validity], at now: Int) -> HTTPFailure.Reason {
        chain.contains { now < $0.begins || now > $0.ends } ? .certificateExpired : .certificate
    }

    /// The certificates that a server shows, its own first; empty where none is to be had.
    func chain(of origin: HTTPOrigin) async -> [Validity] {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        let seen = Guarded<[Validity]>([])
        do {
            let context = try NIOSSLContext(configuration: configuration)
            let isName = IPAddressBlock(origin.host) == nil
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(timeout))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let look: NIOSSLCustomVerificationCallback = { certificates, promise in
                            seen.withLock { seen in
                                seen = certificates.map {
                                    Validity(begins: Int($0.notValidBefore), ends: Int($0.notValidAfter))
                                }
                            }
                            promise.succeed(.failed)
                        }
                        let handler = try NIOSSLClientHandler(
                            context: context, serverHostname: isName ? origin.host : nil,
                            customVerificationCallback: look)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .connect(host: origin.host, port: origin.port).get()
            // The handshake fails as it must, or the server is slow: either ends the connection.
            let limit = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) { channel.close(promise: nil) }
            try await channel.closeFuture.get()
            limit.cancel()
        } catch {
            return seen.withLock { $0 }
        }
        return seen.withLock { $0 }
    }
}
