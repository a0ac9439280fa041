import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HablareWeb

/// The times of a connection, on the channel's own clock, which the test advances.
struct ConnectionHandlerTests {
    private let registry = ConnectionRegistry(limit: 1)

    private func connected(_ limits: FaceLimits = FaceLimits()) async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        let registry = registry
        try await channel.testingEventLoop.executeInContext {
            try channel.pipeline.syncOperations.addHandler(ConnectionHandler(registry, limits: limits))
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        return channel
    }

    private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"))

    @Test("A request that does not end in 30 s is cut")
    func slowRequest() async throws {
        let channel = try await connected()
        try await channel.writeInbound(head)
        await channel.testingEventLoop.advanceTime(by: .seconds(29))
        try await channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
        #expect(channel.isActive)
        await channel.testingEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("A request that ended may take its time to be answered")
    func slowAnswer() async throws {
        let channel = try await connected()
        try await channel.writeInbound(head)
        try await channel.writeInbound(HTTPRequestPart.end(nil))
        await channel.testingEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    @Test("A client that leaves a full buffer untouched for 30 s is cut, and one that reads is not")
    func stalledReader() async throws {
        let channel = try await connected()
        try await setWritable(false, channel)
        await channel.testingEventLoop.advanceTime(by: .seconds(29))
        try await setWritable(true, channel)
        await channel.testingEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        try await setWritable(false, channel)
        await channel.testingEventLoop.advanceTime(by: .seconds(30))
        #expect(!channel.isActive)
    }

    private func setWritable(_ isWritable: Bool, _ channel: NIOAsyncTestingChannel) async throws {
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }

    @Test("One connection too many is answered and closed, and a closed one makes room")
    func bound() async throws {
        let first = try await connected()
        let second = try await connected()
        let answer = try await second.readOutbound(as: HTTPResponsePart.self)
        guard case .head(let head)? = answer else {
            Issue.record("There was no answer.")
            return
        }
        #expect(head.status == .serviceUnavailable)
        #expect(!second.isActive && first.isActive)
        #expect(registry.count == 1)
        try await first.close()
        #expect(registry.count == 0)
        #expect(try await connected().isActive)
    }

    @Test("A client that stops sending has left")
    func halfClosed() async throws {
        let channel = try await connected()
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        #expect(!channel.isActive)
    }

    @Test("An action is called when its connection closes, unless it was taken back")
    func actions() async throws {
        let channel = try await connected()
        let (calls, call) = AsyncStream.makeStream(of: Int.self)
        let kept = registry.whenClosed(channel) { call.yield(1) }
        registry.whenClosed(channel) { call.yield(2) }.cancel()
        try await channel.close()
        call.finish()
        var called: [Int] = []
        for await number in calls { called.append(number) }
        #expect(called == [1])
        kept.cancel()
    }
}
