package import Foundation
package import HTTPTypes
package import Hablare

/// A server's reply to a call: a head (status and header fields), and a body that follows a script.
package struct ServerReply: Sendable {
    /// How the client detects the end of the body.
    package enum Framing: Sendable, Hashable {
        /// A `Content-Length` with this value. The value may be wrong. Then the connection is closed after the body.
        case length(Int)
        /// Chunks (RFC 9112, 7.1), one for each piece.
        case chunked
        /// The end of the connection ends the body.
        case untilClosed
        /// No head. Only the body's bytes are sent.
        case none
    }

    /// The status.
    package var status: Int
    /// The header fields, except those of the framing.
    package var fields: HTTPFields
    /// The steps of the body.
    package var steps: [ServerStep]
    /// How the client detects the end of the body.
    package var framing: Framing
    /// The number of bytes after which the connection is cut, and how it is cut. The bytes of the head and of the chunk
    /// lines are also counted. `nil` if the connection is not cut.
    package var cut: (after: Int, by: ConnectionCut)?
    /// Whether the server closes the connection after the reply and announces this in the head. Default: `false`.
    package var closes = false

    /// Creates a reply.
    package init(status: Int = 200, fields: HTTPFields = [:], steps: [ServerStep] = [], framing: Framing = .chunked) {
        self.status = status
        self.fields = fields
        self.steps = steps
        self.framing = framing
    }

    /// Returns a reply with a value as JSON.
    package static func json(
        _ status: Int, _ value: ParameterValue, fields: HTTPFields = [:]
    ) throws -> Self {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return bytes(status, try encoder.encode(value), type: "application/json", fields: fields)
    }

    /// Returns a reply with bytes and the correct `Content-Length`.
    package static func bytes(
        _ status: Int, _ data: Data, type: String = "application/octet-stream", fields: HTTPFields = [:]
    ) -> Self {
        Self(status: status, fields: typed(type, fields), steps: [.piece(data)], framing: .length(data.count))
    }

    /// Returns a reply with a text and the correct `Content-Length`.
    package static func text(
        _ status: Int, _ text: String, type: String = "text/plain; charset=utf-8", fields: HTTPFields = [:]
    ) -> Self {
        bytes(status, Data(text.utf8), type: type, fields: fields)
    }

    /// Returns a reply whose body follows a script, in chunks.
    package static func pieces(
        _ steps: [ServerStep], status: Int = 200, type: String = "text/event-stream", fields: HTTPFields = [:]
    ) -> Self {
        Self(status: status, fields: typed(type, fields), steps: steps)
    }

    /// Returns a reply that has only a head, such as a redirect.
    package static func head(_ status: Int, fields: HTTPFields = [:]) -> Self {
        Self(status: status, fields: fields, framing: .length(0))
    }

    /// Returns a reply that has only steps and no head. Such a reply is not HTTP. The connection is closed after it.
    package static func raw(_ steps: [ServerStep]) -> Self { Self(steps: steps, framing: .none) }

    /// A reply without any bytes. It waits until the client leaves.
    package static let silence = raw([.hang])

    /// Returns a copy with another `Content-Length`.
    package func length(_ count: Int) -> Self {
        var reply = self
        reply.framing = .length(count)
        return reply
    }

    /// Returns a copy that is cut off after a number of bytes, including the head.
    package func cut(after bytes: Int, by cut: ConnectionCut = .finish) -> Self {
        var reply = self
        reply.cut = (bytes, cut)
        return reply
    }

    /// Returns a copy that closes the connection after the reply.
    package func closing() -> Self {
        var reply = self
        reply.closes = true
        return reply
    }

    /// All bytes of the reply, without its waits.
    package var wire: Data {
        var wire = head
        for step in steps {
            switch step {
            case .piece(let data): wire += framed(data)
            case .drip(let data, _): for byte in data { wire += framed(Data([byte])) }
            case .wait, .open, .hang, .cut: break
            }
        }
        return wire + end
    }

    /// Whether the connection can receive another call after the reply.
    var keepsConnection: Bool {
        switch framing {
        case .chunked: !closes
        case .length(let count): !closes && count == byteCount
        case .untilClosed, .none: false
        }
    }

    /// The head's bytes.
    var head: Data {
        if framing == .none { return Data() }
        var lines = ["HTTP/1.1 \(status) "]
        lines += fields.map { "\($0.name.rawName): \($0.value)" }
        switch framing {
        case .length(let count) where status != 204 && status != 304: lines.append("content-length: \(count)")
        case .chunked: lines.append("transfer-encoding: chunked")
        default: break
        }
        if closes || framing == .untilClosed { lines.append("connection: close") }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Returns a piece in the reply's framing.
    func framed(_ data: Data) -> Data {
        guard framing == .chunked else { return data }
        // An empty chunk would mark the end.
        return data.isEmpty ? data : Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    /// The bytes that end the body.
    var end: Data { framing == .chunked ? Data("0\r\n\r\n".utf8) : Data() }

    private var byteCount: Int {
        steps.reduce(0) { count, step in
            switch step {
            case .piece(let data), .drip(let data, _): count + data.count
            case .wait, .open, .hang, .cut: count
            }
        }
    }

    private static func typed(_ type: String, _ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        if fields[.contentType] == nil { fields[.contentType] = type }
        return fields
    }
}
