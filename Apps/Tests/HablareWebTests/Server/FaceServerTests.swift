import Foundation
import HTTPTypes
import HablareTestKit
import HablareWebTestKit
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@testable import HablareWeb

struct FaceServerTests {
    /// Runs a server on a real socket, and gives a test its start URL, its port and a way to stop it.
    private func serving(
        _ options: FaceOptions = FaceOptions(), notebook: Notebook = Notebook(),
        clock: any Clock<Duration> = ContinuousClock(),
        _ body: @escaping @Sendable (_ link: String, _ port: Int, _ services: ServiceGroup) async throws -> Void
    ) async throws {
        let (links, link) = AsyncStream.makeStream(of: String.self)
        let server = FaceServer(try notebook.face(), options: options, clock: clock, logger: .silent) { link.yield($0) }
        let services = ServiceGroup(services: [server], logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { link.finish() }
                try await services.run()
            }
            for await link in links {
                let port = try #require(link.firstMatch(of: /:(\d+)\//).flatMap { Int($0.1) })
                do {
                    try await body(link, port, services)
                } catch {
                    Issue.record(error)
                }
                break
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    @Test("The start URL leads to the start page with a cookie")
    func start() async throws {
        try await serving { link, port, _ in
            let path = try #require(link.range(of: "/start")).lowerBound
            let answer = try await RawClient.exchange(
                "GET \(link[path...]) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 303"))
            #expect(answer.contains("notes-\(port)="))
            #expect(answer.lowercased().contains("location: /\r\n"))
        }
    }

    @Test("Both loopback addresses answer on the same port")
    func addresses() async throws {
        try await serving { _, port, _ in
            for host in ["127.0.0.1", "::1"] {
                let name = host == "::1" ? "[::1]" : host
                let answer = try await RawClient.exchange(
                    "GET /healthz HTTP/1.1\r\nHost: \(name):\(port)\r\nConnection: close\r\n\r\n", host, port: port)
                #expect(answer.hasPrefix("HTTP/1.1 200"), "\(host)")
                #expect(answer.hasSuffix("\r\n\r\nok\n"), "\(host)")
            }
        }
    }

    @Test("A port that is taken is an error that names it")
    func portTaken() async throws {
        try await serving { _, port, _ in
            var options = FaceOptions()
            options.port = port
            let second = FaceServer(try Notebook().face(), options: options, logger: .silent) { _ in }
            await #expect {
                try await second.run()
            } throws: { error in
                (error as? FaceServerError)?.code == .portTaken && "\(error)".contains("Port \(port)")
            }
        }
    }

    @Test("The preferred port is taken if it is free, and otherwise another one")
    func prefersAPort() async throws {
        try await serving { _, port, _ in
            var options = FaceOptions()
            options.preferredPort = port
            try await self.serving(options) { _, other, _ in #expect(other != port) }
            // Free again after its server has ended.
            let (ports, freed) = AsyncStream.makeStream(of: Int.self)
            try await self.serving { _, port, _ in freed.yield(port) }
            for await port in ports {
                options.preferredPort = port
                try await self.serving(options) { _, other, _ in #expect(other == port) }
                break
            }
        }
    }

    @Test("An address that this machine does not have is an error")
    func noAddress() async throws {
        var options = FaceOptions()
        options.address = .network(host: "192.0.2.1", password: try #require(.init("correct horse")))
        let server = FaceServer(try Notebook().face(), options: options, logger: .silent) { _ in }
        await #expect {
            try await server.run()
        } throws: { error in
            (error as? FaceServerError)?.code == .noSuchAddress
        }
    }

    @Test("A network address answers with the password only")
    func password() async throws {
        var options = FaceOptions()
        options.address = .network(host: "0.0.0.0", password: try #require(.init("correct horse")))
        try await serving(options) { (_, port, _) async throws in
            func status(_ authorization: String) async throws -> Substring {
                try await RawClient.exchange(
                    "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)Connection: close\r\n\r\n",
                    port: port
                ).prefix(12)
            }
            #expect(try await status("") == "HTTP/1.1 401")
            #expect(try await status("Authorization: Bearer wrong\r\n") == "HTTP/1.1 401")
            #expect(try await status("Authorization: Bearer correct horse\r\n") == "HTTP/1.1 200")
        }
    }

    @Test("A graceful shutdown tells open pages, finishes what runs, and then nothing listens")
    func drain() async throws {
        let notebook = Notebook()
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        await MainActor.run {
            notebook.beforeCommit = {
                start.yield()
                for await _ in permits { break }
            }
        }
        try await serving(notebook: notebook) { link, port, services in
            try await FaceClient.with(link: link) { client in
                var events = try await client.events().makeAsyncIterator()
                #expect(try await events.next()?.name == "state")
                async let act = client.command("add", Notebook.Addition(text: "last"))
                for await _ in starts { break }
                await services.triggerGracefulShutdown()
                #expect(try await events.next()?.name == "stopping")
                #expect(try await events.next() == nil)
                permit.finish()
                #expect(try await act.status == .ok)
                #expect(await notebook.notes.texts == ["last"])
            }
            await #expect(throws: (any Error).self) {
                _ = try await RawClient.exchange("GET / HTTP/1.1\r\n\r\n", port: port)
            }
        }
    }

    @Test("A request that does not end is cut after the drain time")
    func drainTime() async throws {
        let notebook = Notebook()
        let clock = ManualClock()
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        await MainActor.run {
            notebook.beforeCommit = {
                start.yield()
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
                throw CancellationError()
            }
        }
        try await serving(notebook: notebook, clock: clock) { link, port, services in
            try await FaceClient.with(link: link) { client in
                await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await client.command("add", Notebook.Addition(text: "never")) }
                    for await _ in starts { break }
                    await services.triggerGracefulShutdown()
                    await clock.sleepers(reach: 2)  // the heartbeat and the drain
                    clock.advance(by: .seconds(10))
                    guard case .failure? = await group.nextResult() else {
                        Issue.record("The command was answered.")
                        return
                    }
                }
            }
        }
    }

    // MARK: Limits

    @Test("A header that is too large, too long or malformed is refused and the connection closed")
    func headers() async throws {
        try await serving { _, port, _ in
            let large = "X: \(String(repeating: "x", count: 9 << 10))\r\n"
            let many = (0..<80).map { "X\($0): x\r\n" }.joined()
            let sum = (0..<8).map { "X\($0): \(String(repeating: "x", count: 6 << 10))\r\n" }.joined()
            for fields in [large, many, sum, "no colon\r\n", "X\0: x\r\n"] {
                let answer = try await RawClient.exchange(
                    "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 400"), "\(fields.prefix(20))")
            }
            let few = (0..<40).map { "X\($0): x\r\n" }.joined()
            let answer = try await RawClient.exchange(
                "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\(few)\r\n", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("A body that is malformed gets 400 and closes the connection")
    func malformedBody() async throws {
        let notebook = Notebook()
        try await serving(notebook: notebook) { link, port, _ in
            let token = try #require(link.split(separator: "=").last)
            let answer = try await RawClient.exchange(
                """
                POST /commands/add HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r
                Sec-Fetch-Site: same-origin\r\nCookie: notes-\(port)=\(token)\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n
                """, port: port)
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            #expect(await notebook.acts.isEmpty)
        }
    }

    @Test("One connection too many gets 503, and the server answers again when one closes")
    func connections() async throws {
        var options = FaceOptions()
        options.limits.connections = 2
        try await serving(options) { _, port, _ in
            let request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
            try await RawClient.with(port: port) { inbound, outbound in
                try await outbound.write(ByteBuffer(string: request + "\r\n"))
                var first = inbound.makeAsyncIterator()
                _ = try await first.next()
                try await RawClient.with("::1", port: port) { inbound, outbound in
                    try await outbound.write(ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n"))
                    var second = inbound.makeAsyncIterator()
                    _ = try await second.next()
                    let third = try await RawClient.exchange(request + "Connection: close\r\n\r\n", port: port)
                    // A reset may overtake the answer.
                    #expect(third.isEmpty || third.hasPrefix("HTTP/1.1 503"))
                }
            }
            var answer = ""
            while !answer.hasPrefix("HTTP/1.1 200") {  // the server notices the closing a moment later
                try Task.checkCancellation()
                answer = try await RawClient.exchange(request + "Connection: close\r\n\r\n", port: port)
            }
        }
    }

    @Test("A connection without a request is closed after the idle time, also while a header trickles in")
    func idle() async throws {
        var options = FaceOptions()
        options.limits.idleTime = .milliseconds(100)
        try await serving(options) { _, port, _ in
            for text in ["", "GET /healthz HT"] {
                let answer = try await RawClient.exchange(text, port: port)
                #expect(answer == "")
            }
        }
    }

    @Test("A body that does not end is cut after the request time")
    func slowBody() async throws {
        var options = FaceOptions()
        options.limits.requestTime = .milliseconds(100)
        try await serving(options) { _, port, _ in
            let answer = try await RawClient.exchange(
                """
                POST /commands/add HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r
                Sec-Fetch-Site: same-origin\r\nContent-Length: 100\r\n\r\n{
                """, port: port)
            #expect(!answer.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("A client that does not read what it asked for is cut after the stall time")
    func stalledReader() async throws {
        var options = FaceOptions()
        options.limits.stallTime = .milliseconds(100)
        let notebook = Notebook()
        let face = try notebook.face(
            media: Media { _ in .bytes([UInt8](repeating: 1, count: 64 << 20), type: "image/png") })
        let (links, link) = AsyncStream.makeStream(of: String.self)
        let server = FaceServer(face, options: options, logger: .silent) { link.yield($0) }
        let services = ServiceGroup(services: [server], logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            var iterator = links.makeAsyncIterator()
            let url = try #require(await iterator.next())
            let port = try #require(url.firstMatch(of: /:(\d+)\//).flatMap { Int($0.1) })
            try await RawClient.with(port: port) { inbound, outbound in
                let cookie = "notes-\(port)=\(server.token.value)"
                try await outbound.write(
                    ByteBuffer(
                        string: "GET /media/a/1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n"))
                // The client does not read. The server closes, so its connection goes away.
                await untilTrue { server.connections.count > 0 }
                await untilTrue { server.connections.count == 0 }
                var received = 0
                do {
                    for try await part in inbound { received += part.readableBytes }
                } catch is IOError {}
                #expect(received < 64 << 20)
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }
}
