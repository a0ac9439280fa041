import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One connection of a server. It reads a call, sends the reply, and repeats this until the client or the server ends
/// the connection.
struct ServerConnection {
    private typealias Wire = NIOAsyncChannel<HTTPServerRequestPart, ByteBuffer>

    /// The accepted channel, before anything is read from it.
    let channel: any Channel
    let context: NIOSSLContext?
    let number: Int
    let log: CallLog
    let respond: @Sendable (ReceivedCall) async throws -> ServerReply
    let beforeBody: @Sendable (ReceivedCall) -> ServerReply?

    /// Answers calls until the connection ends or the task is cancelled.
    func serve() async {
        let closed = Gate()
        channel.closeFuture.whenComplete { _ in closed.open() }
        do {
            let wire = try await channel.readAsync { [context] pipeline in
                if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                // Replies are written as bytes, so that a script can send invalid HTTP.
                try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
            } as: {
                try Wire(wrappingChannelSynchronously: $0)
            }
            try await wire.executeThenClose { inbound, _ in
                var parts = inbound.makeAsyncIterator()
                while let (record, early) = try await nextCall(&parts) {
                    let shouldContinue = try await answer(record, early: early, closed: closed)
                    if early != nil { try await drain(&parts) }
                    guard shouldContinue else { return }
                }
            }
        } catch {
            // A client that breaks its connection or does not send HTTP ends only that connection. The record of the
            // call has the ending.
            return
        }
    }

    private func nextCall(
        _ parts: inout NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    ) async throws -> (record: RecordedCall, early: ServerReply?)? {
        var head: HTTPRequestHead?
        var body = Data()
        while let part = try await parts.next(isolation: #isolation) {
            switch part {
            case .head(let received):
                head = received
                let call = call(received, body: Data(), number: log.calls.count)
                if let reply = beforeBody(call) {
                    return (log.arrived { self.call(received, body: Data(), number: $0) }, reply)
                }
            case .body(let bytes): body.append(contentsOf: bytes.readableBytesView)
            case .end:
                guard let received = head else { return nil }
                let whole = body
                return (log.arrived { call(received, body: whole, number: $0) }, nil)
            }
        }
        return nil
    }

    /// Reads the remaining bytes of a call that was answered early. If a connection were closed with unread bytes, it
    /// would be reset, and the client could lose the reply.
    private func drain(
        _ parts: inout NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    ) async throws {
        while let part = try await parts.next(isolation: #isolation) { if case .end = part { return } }
    }

    private func call(_ head: HTTPRequestHead, body: Data, number: Int) -> ReceivedCall {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return ReceivedCall(
            number: number, method: HTTPRequest.Method(head.method.rawValue) ?? .get, target: head.uri, fields: fields,
            body: body, connection: self.number)
    }

    /// Answers a call. Returns whether the connection can receive another call.
    private func answer(_ record: RecordedCall, early: ServerReply?, closed: Gate) async throws -> Bool {
        do {
            let reply: ServerReply
            if let early { reply = early } else { reply = try await respond(record.call) }
            var writer = ReplyWriter(reply, to: channel, closed: closed)
            try await writer.write(reply, withoutBody: record.call.method == .head)
            record.ended(.complete)
            return reply.keepsConnection && early == nil
        } catch let cut as ReplyWriter.Cut {
            // A reset is complete before it is recorded. An end in order is still on its way.
            if cut.how == .reset { try await reset() }
            record.ended(.cut)
            return false
        } catch {
            record.ended(Task.isCancelled ? .serverEnded : .clientLeft)
            throw error
        }
    }

    /// Resets the connection. Bytes that the system has not sent yet are lost.
    private func reset() async throws {
        let now = linger(l_onoff: 1, l_linger: 0)
        if let options = channel as? any SocketOptionProvider { try await options.setSoLinger(now).get() }
        try await channel.close(mode: .all).get()
    }
}
