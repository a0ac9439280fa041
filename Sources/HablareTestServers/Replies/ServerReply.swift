package import Foundation
package import HTTPTypes
package import Hablare

/// A server's reply to a call: a head, and a body that follows a script.
package struct ServerReply: Sendable {
    /// The way in which the client finds the end of the body.
    package enum Framing: Sendable, Hashable {
        /// By this `Content-Length`, correct or not. If it is wrong, the connection is closed after the body.
        case length(Int)
        /// By chunks (RFC 9112, 7.1), one for each piece.
        case chunked
        /// By the end of the connection.
        case untilClosed
        /// Without any head: the body's bytes are all that is sent.
        case none
    }

    /// The status.
    package var status: Int
    /// The header fields, apart from those of the framing.
    package var fields: HTTPFields
    /// The steps of the body.
    package var steps: [ServerStep]
    /// The way in which the client finds the end of the body.
    package var framing: Framing
    /// The number of bytes on the wire, including the head and chunk lines, after which the connection ends, and the
    /// kind of end. `nil`: no cut.
    package var cut: (after: Int, by: ConnectionCut)?
    /// Whether the connection ends with the reply, which the head then states. Default: `false`.
    package var closes = false

    /// Creates a reply.
    package init(status: Int = 200, fields: HTTPFields = [:], steps: [ServerStep] = [], framing: Framing = .chunked) {
        self.status = status
        self.fields = fields
        self.steps = steps
        self.framing = framing
    }

    /// Returns a value as JSON.
    package static func json(
        _ status: Int, _ value: ParameterValue, fields: HTTPFields = [:]
    ) throws -> Self {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return bytes(status, try encoder.encode(value), type: "application/json", fields: fields)
    }

    /// Returns bytes with the correct `Content-Length`.
    package static func bytes(
        _ status: Int, _ data: Data, type: String = "application/octet-stream", fields: HTTPFields = [:]
    ) -> Self {
        Self(status: status, fields: typed(type, fields), steps: [.piece(data)], framing: .length(data.count))
    }

    /// Returns a text with the correct `Content-Length`.
    package static func text(
        _ status: Int, _ text: String, type: String = "text/plain; charset=utf-8", fields: HTTPFields = [:]
    ) -> Self {
        bytes(status, Data(text.utf8), type: type, fields: fields)
    }

    /// Returns a stream: a body that follows a script, in chunks.
    package static func pieces(
        _ steps: [ServerStep], status: Int = 200, type: String = "text/event-stream", fields: HTTPFields = [:]
    ) -> Self {
        Self(status: status, fields: typed(type, fields), steps: steps)
    }

    /// Returns a head alone, such as that of a redirect.
    package static func head(_ status: Int, fields: HTTPFields = [:]) -> Self {
        Self(status: status, fields: fields, framing: .length(0))
    }

    /// Returns steps without a head, which are not HTTP. The connection is closed after them.
    package static func raw(_ steps: [ServerStep]) -> Self { Self(steps: steps, framing: .none) }

    /// A reply without any bytes until the client leaves.
    package static let silence = raw([.hang])

    /// Returns the same reply with another `Content-Length`.
    package func length(_ count: Int) -> Self {
        var reply = self
        reply.framing = .length(count)
        return reply
    }

    /// Returns the same reply, cut after a number of bytes on the wire, including the head.
    package func cut(after bytes: Int, by cut: ConnectionCut = .finish) -> Self {
        var reply = self
        reply.cut = (bytes, cut)
        return reply
    }

    /// Returns the same reply, closing the connection after it.
    package func closing() -> Self {
        var reply = self
        reply.closes = true
        return reply
    }

    /// All bytes of the reply on the wire, without its waits.
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

    /// Whether the connection can take another call afterwards.
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
