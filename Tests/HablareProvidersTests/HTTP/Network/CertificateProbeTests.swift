import Foundation
import HTTPTypes
import Hablare
import HablareTestServers
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import HablareProviders

@Suite(.timeLimit(.minutes(5))) struct CertificateProbeTests {
    private func certificate(_ name: String, by issuer: String, _ time: ClosedRange<Int> = 100...200)
        -> ShownCertificate
    {
        ShownCertificate(
            begins: time.lowerBound, ends: time.upperBound, subject: Array(name.utf8), issuer: Array(issuer.utf8))
    }

    @Test func `Certificates that do not hold now are told from those that nobody knows`() {
        let held = certificate("leaf", by: "root")
        let old = certificate("leaf", by: "root", 10...99)
        let new = certificate("leaf", by: "root", 151...300)
        #expect(CertificateProbe.reason(for: [held], at: 150) == .certificate)
        #expect(CertificateProbe.reason(for: [], at: 150) == .certificate)
        #expect(CertificateProbe.reason(for: [old], at: 150) == .certificateExpired)
        #expect(CertificateProbe.reason(for: [new], at: 150) == .certificateExpired)
        #expect(CertificateProbe.reason(for: [held], at: 100) == .certificate)
        #expect(CertificateProbe.reason(for: [held], at: 200) == .certificate)
    }

    @Test func `Whoever signed it counts, in whatever order, and nobody else does`() {
        let leaf = certificate("leaf", by: "between")
        let between = certificate("between", by: "root")
        let root = certificate("root", by: "root")
        let oldRoot = certificate("root", by: "older", 10...99)
        let stranger = certificate("stranger", by: "older", 10...99)
        #expect(CertificateProbe.reason(for: [leaf, oldRoot, between], at: 150) == .certificateExpired)
        #expect(CertificateProbe.reason(for: [leaf, stranger, between], at: 150) == .certificate)
        #expect(CertificateProbe.reason(for: [leaf, between, oldRoot, root], at: 150) == .certificate)
        #expect(CertificateProbe.reason(for: [leaf, oldRoot], at: 150) == .certificate, "the way to it is not shown")
        #expect(CertificateProbe.reason(for: [root, root, root], at: 150) == .certificate)
        let nameless = [certificate("", by: ""), certificate("", by: "", 10...99)]
        #expect(CertificateProbe.reason(for: nameless, at: 150) == .certificate)
    }

    @Test func `The names of a certificate are read`() throws {
        func shown(_ text: String) throws -> ShownCertificate {
            try ShownCertificate(NIOSSLCertificate(bytes: Array(text.utf8), format: .pem))
        }
        let authority = try shown(ServerTLS.testAuthority)
        let leaf = try shown(ServerTLS.valid.certificate)
        #expect(authority.subject == authority.issuer && leaf.issuer == authority.subject)
        #expect(leaf.subject != leaf.issuer)
        #expect(String(decoding: leaf.subject, as: UTF8.self).hasSuffix("localhost"))
        #expect(try shown(ServerTLS.expired.certificate).ends == 1_609_459_200)
    }

    @Test func `What is no certificate has no names`() throws {
        let whole = try NIOSSLCertificate(bytes: Array(ServerTLS.valid.certificate.utf8), format: .pem).toDERBytes()
        for count in 0..<whole.count { #expect(ShownCertificate.names(in: Array(whole.prefix(count))) == nil) }
        for place in whole.indices.prefix(64) {
            var changed = whole
            for value in [0x00, 0x30, 0x7F, 0x80, 0x84, 0x88, 0xFF] as [UInt8] {
                changed[place] = value
                _ = ShownCertificate.names(in: changed)
            }
        }
    }

    @Test func `A certificate that is shown beside and has run out is not the reason`() async throws {
        let tls = ServerTLS(
            certificate: "\(ServerTLS.valid.certificate)\n\(ServerTLS.expired.certificate)", key: ServerTLS.valid.key)
        try await LoopbackServer.withServer(tls: tls) { _ in
            .text(200, "")
        } _: { server in
            try await withTransport { transport in
                let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                #expect(failure.reason == .certificate, "\(failure.cause)")
            }
        }
    }

    /// Shows the first who connects a certificate, and says nothing to the others.
    private func withSilentServer(_ body: (URL, _ isAsked: Gate, _ isLeft: Gate) async throws -> Void) async throws {
        let (isAsked, isLeft) = (Gate(), Gate())
        let count = Guarded(0)
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMBytes(Array(ServerTLS.valid.certificate.utf8)).map {
                    .certificate($0)
                }, privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(ServerTLS.valid.key.utf8), format: .pem))))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    guard number > 1 else {
                        return try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    channel.closeFuture.whenComplete { _ in isLeft.open() }
                    isAsked.open()
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Void, any Error>
        do {
            let url = try #require(URL(string: "https://localhost:\(listener.localAddress?.port ?? 0)/"))
            result = .success(try await body(url, isAsked, isLeft))
        } catch {
            result = .failure(error)
        }
        try await listener.close().get()
        try result.get()
    }

    @Test func `Who is cancelled while it is found out why a certificate is not trusted is cancelled at once`()
        async throws
    {
        try await withSilentServer { url, isAsked, isLeft in
            try await withTransport(NetworkSettings(connectTimeout: .seconds(3600))) { transport in
                try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                    group.addTask { try await transport.send(HTTPCall(.get, url)) }
                    try await isAsked.wait()
                    group.cancelAll()
                    await #expect(throws: CancellationError.self) { try await group.next() }
                    try await isLeft.wait()
                }
            }
        }
    }
}
