import NIOCore

/// An event of an event stream.
public struct FaceEvent: Sendable, Hashable {
    /// The event's name. Default: `message`.
    public var name: String
    /// The event's data.
    public var data: String
    /// The id of the last event that had one.
    public var id: String?
}

/// The events of a stream, while they arrive.
public struct FaceEvents: AsyncSequence, Sendable {
    let body: FaceBody

    /// Reads one event after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var body: FaceBody.AsyncIterator
        private var parser = FaceEventParser()
        private var ready: [FaceEvent] = []

        fileprivate init(_ body: FaceBody.AsyncIterator) { self.body = body }

        /// Returns the next event, or `nil` at the end of the stream.
        public mutating func next() async throws -> FaceEvent? { try await next(isolation: #isolation) }

        /// Returns the next event, or `nil` at the end of the stream.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> FaceEvent? {
            while ready.isEmpty {
                guard let part = try await body.next(isolation: actor) else { return nil }
                ready = parser.read(part.readableBytesView)
            }
            return ready.removeFirst()
        }
    }

    /// Returns an iterator. A stream can be read once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body.makeAsyncIterator()) }
}

/// A parser of event streams, as the HTML standard describes them.
public struct FaceEventParser: Sendable {
    private var line: [UInt8] = []
    private var skipsNewline = false
    private var name = ""
    private var data: [String] = []
    private var id: String?

    /// Creates a parser at the beginning of a stream.
    public init() {}

    /// Reads bytes, and returns the events that they complete.
    public mutating func read(_ bytes: some Sequence<UInt8>) -> [FaceEvent] {
        var events: [FaceEvent] = []
        for byte in bytes {
            let isSecondOfPair = skipsNewline && byte == 10
            skipsNewline = byte == 13
            if isSecondOfPair { continue }
            if byte == 10 || byte == 13 {
                if let event = end(of: String(decoding: line, as: UTF8.self)) { events.append(event) }
                line = []
            } else {
                line.append(byte)
            }
        }
        return events
    }

    private mutating func end(of line: String) -> FaceEvent? {
        guard !line.isEmpty else {
            defer { (name, data) = ("", []) }
            guard !data.isEmpty else { return nil }
            return FaceEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)
        }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count == 2 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        switch parts[0] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        case "id": id = String(value)
        default: break  // a comment, or a field that is not known
        }
        return nil
    }
}
