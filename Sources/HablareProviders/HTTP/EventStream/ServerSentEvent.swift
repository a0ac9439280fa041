public import Foundation

/// An event of a stream (WHATWG HTML, 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `message` if the stream does not name one.
    public var type: String
    /// The event's data: its lines, joined by line feeds. The data is UTF-8 unless the server violates the standard.
    public var data: Data
    /// The last id that the stream sent, up to and including this event; empty if the stream sent none.
    public var lastEventID: String

    /// Creates an event.
    public init(type: String = "message", data: Data, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
