public import Foundation

/// One event of a stream of events (WHATWG HTML, 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// Its type; `message` where the stream does not say.
    public var type: String
    /// Its data: the lines of it, joined by line feeds. UTF-8, unless the server is at fault.
    public var data: Data
    /// The last id that the stream gave, this event included; empty where it gave none.
    public var lastEventID: String

    /// Creates an event.
    public init(type: String = "message", data: Data, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
