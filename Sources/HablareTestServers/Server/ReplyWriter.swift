import Foundation
import NIOCore

/// A writer that sends one reply over a connection, step by step.
struct ReplyWriter {
    /// An error: the script ended the connection.
    struct Cut: Error {
        let how: ConnectionCut
    }
    /// An error: the client has left.
    struct ClientLeft: Error {}

    let channel: any Channel
    /// A gate that opens when the connection is closed.
    let closed: Gate
    private var left: Int?
    private let how: ConnectionCut

    init(_ reply: ServerReply, to channel: any Channel, closed: Gate) {
        self.channel = channel
        self.closed = closed
        left = reply.cut?.after
        how = reply.cut?.by ?? .finish
    }

    /// Sends the reply. Throws ``Cut`` if the script cuts the connection, ``ClientLeft`` if the client leaves, and
    /// `CancellationError` if the server stops.
    mutating func write(_ reply: ServerReply, withoutBody: Bool) async throws {
        try await send(reply.head)
        if withoutBody { return }
        for step in reply.steps {
            switch step {
            case .piece(let data): try await send(reply.framed(data))
            case .wait(let gate): if !(try await gate.wait(orUntil: closed)) { throw ClientLeft() }
            case .open(let gate): gate.open()
            case .drip(let data, let interval):
                for byte in data {
                    try await send(reply.framed(Data([byte])))
                    try await channel.eventLoop.scheduleTask(in: TimeAmount(interval)) {}.futureResult.get()
                }
            case .hang:
                try await closed.wait()
                throw ClientLeft()
            case .cut(let how): throw Cut(how: how)
            }
        }
        try await send(reply.end)
    }

    private mutating func send(_ data: Data) async throws {
        if closed.isOpen { throw ClientLeft() }
        let part = left.map { data.prefix($0) } ?? data
        if !part.isEmpty { try await hand(ByteBuffer(bytes: part)) }
        guard let left else { return }
        self.left = left - part.count
        if left <= data.count { throw Cut(how: how) }
    }

    /// Waits until the system has accepted the bytes, so that the recorded ending of the reply is true.
    private func hand(_ bytes: ByteBuffer) async throws {
        let channel = channel
        try await withTaskCancellationHandler {
            try await channel.writeAndFlush(bytes).get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}
