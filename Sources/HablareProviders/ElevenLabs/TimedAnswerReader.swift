import Foundation

/// A reader of sound with times. It reads pieces of any size, in every form that servers send.
///
/// The reader finds the form from the content, not from the media type. The service's description promises events, but
/// the service sends one JSON object after another. Other servers with the same API send events, several objects, or
/// one object, with any media type or none.
///
/// | first bytes | form |
/// |---|---|
/// | `{` or `[` | JSON objects: one per line, one over many lines, a sequence without separators, or a list |
/// | `data:`, `event:`, `id:`, `retry:` or `:` | a stream of events, whose data are JSON objects |
/// | the first bytes of a sound format | the sound itself, from a server that sends no times |
/// | any other bytes | ``foreign``: an unknown form |
///
/// It does not matter where the answer is split into pieces: the items and the faults are the same.
struct TimedAnswerReader: Sendable {
    /// A part of the answer.
    enum Item: Sendable, Hashable {
        /// A JSON object, or other bytes in the place of an object.
        case object(Data)
        /// Sound without times.
        case sound(Data)
    }

    /// An error: an object or an event exceeds the limit.
    struct Overflow: Error, Sendable, Hashable {
        /// The limit in bytes.
        let limit: Int
    }

    private enum Form: Sendable {
        case undecided
        case objects(JSONObjectSplitter)
        case events(EventStreamParser)
        case sound
        case foreign
    }

    /// The text that marks the end of some servers' event streams.
    private static let done = Data("[DONE]".utf8)

    private var form = Form.undecided
    private var beginning = Data()
    private let maximumBytes: Int
    private let maximumForeignBytes: Int
    /// The bytes of an answer in an unknown form, up to the limit.
    private(set) var foreign = Data()
    /// Whether ``foreign`` contains only the beginning of the answer.
    private(set) var isForeignCut = false

    /// - Parameters:
    ///   - maximumBytes: The maximum size of an object in bytes.
    ///   - maximumForeignBytes: The maximum number of bytes that are kept of an answer in an unknown form.
    init(maximumBytes: Int, maximumForeignBytes: Int) {
        self.maximumBytes = maximumBytes
        self.maximumForeignBytes = maximumForeignBytes
    }

    /// Reads the next piece. Appends the items that the piece completes, including the items before a fault.
    mutating func read(_ piece: Data, into items: inout [Item]) throws(Overflow) {
        guard case .undecided = form else { return try take(piece, into: &items) }
        beginning.append(piece)
        beginning = beginning.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        if decide(isEnd: false) { try takeBeginning(into: &items) }
    }

    /// Ends the answer. Appends the last item.
    mutating func finish(into items: inout [Item]) throws(Overflow) {
        if case .undecided = form, !beginning.isEmpty {
            _ = decide(isEnd: true)
            try takeBeginning(into: &items)
        }
        switch form {
        case .objects(var splitter):
            var objects: [Data] = []
            splitter.finish(into: &objects)
            items += objects.map(Item.object)
        // The service ends each event with an empty line. A server that omits the last one has sent the event anyway.
        case .events: try take(Data("\n\n".utf8), into: &items)
        case .undecided, .sound, .foreign: return
        }
    }

    private mutating func takeBeginning(into items: inout [Item]) throws(Overflow) {
        defer { beginning = Data() }
        try take(beginning, into: &items)
    }

    private mutating func take(_ piece: Data, into items: inout [Item]) throws(Overflow) {
        switch form {
        case .undecided: return
        case .sound:
            if !piece.isEmpty { items.append(.sound(piece)) }
        case .foreign:
            let room = maximumForeignBytes - foreign.count
            foreign.append(piece.prefix(room))
            isForeignCut = isForeignCut || piece.count > room
        case .objects(var splitter):
            form = .undecided  // so that the splitter is not copied
            defer { form = .objects(splitter) }
            var objects: [Data] = []
            defer { items += objects.map(Item.object) }
            try splitter.read(piece, into: &objects)
        case .events(var parser):
            form = .undecided
            defer { form = .events(parser) }
            var events: [ServerSentEvent] = []
            defer {
                items += events.map(\.data).filter { !$0.isEmpty && $0 != Self.done }.map(Item.object)
            }
            do throws(EventStreamFault) {
                try parser.parse(piece, into: &events)
            } catch {
                throw Overflow(limit: maximumBytes)
            }
        }
    }

    /// Determines the answer's form from the bytes received so far. Returns whether these bytes are enough.
    private mutating func decide(isEnd: Bool) -> Bool {
        guard let first = beginning.first else { return false }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            form = .objects(JSONObjectSplitter(maximumBytes: maximumBytes))
            return true
        }
        if MediaType.beginsAsEvents(beginning) {
            form = .events(EventStreamParser(maximumLineBytes: maximumBytes, maximumEventBytes: maximumBytes))
            return true
        }
        guard isEnd || beginning.count >= MagicBytes.count else { return false }
        let magic = MagicBytes(beginning)
        form = magic.audioContainer != nil || magic.audioFrame != nil ? .sound : .foreign
        return true
    }
}

/// Splits a sequence of JSON objects, with or without line ends, commas and a list around them.
///
/// The splitter does not check whether an object is valid. If there is other content between two objects, this content
/// becomes a separate item, up to the end of its line.
struct JSONObjectSplitter: Sendable {
    private var object = Data()
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private let maximumBytes: Int

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Whether the content that is being read is not an object.
    private var isRubbish: Bool { depth == 0 && !object.isEmpty }

    /// Reads the next piece. Appends the objects that the piece completes.
    mutating func read(_ piece: Data, into objects: inout [Data]) throws(TimedAnswerReader.Overflow) {
        var fault: TimedAnswerReader.Overflow?
        piece.withUnsafeBytes { bytes in
            do throws(TimedAnswerReader.Overflow) {
                try read(bytes, into: &objects)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
    }

    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, into objects: inout [Data]
    ) throws(TimedAnswerReader.Overflow) {
        // The place from which the piece belongs to the unfinished object.
        var start = 0
        var place = 0
        // The next quote and backslash, as far as they are known. Texts are long, because sound is in base 64.
        var (quote, backslash) = (-1, -1)
        while place < bytes.count {
            if isInString {
                if isEscaped {
                    isEscaped = false
                    place += 1
                    continue
                }
                if quote < place { quote = bytes.offset(of: UInt8(ascii: "\""), from: place) }
                if backslash < place { backslash = bytes.offset(of: UInt8(ascii: "\\"), from: place) }
                if backslash < quote {
                    isEscaped = true
                } else if quote < bytes.count {
                    isInString = false
                }
                place = min(quote, backslash) + 1
                continue
            }
            let byte = bytes[place]
            place += 1
            if isRubbish {
                guard byte == 0x0A else { continue }
                try add(bytes, start..<place - 1)
                end(into: &objects)
                start = place
            } else if depth == 0 {
                switch byte {
                case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"): start = place
                case UInt8(ascii: "{"):
                    start = place - 1
                    depth = 1
                default:
                    try add(bytes, place - 1..<place)
                    start = place
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
                guard depth == 0 else { continue }
                try add(bytes, start..<place)
                end(into: &objects)
                start = place
            }
        }
        if start < bytes.count, depth > 0 || isRubbish { try add(bytes, start..<bytes.count) }
    }

    /// Ends the answer. Appends an object that was cut off.
    mutating func finish(into objects: inout [Data]) {
        if !object.isEmpty { end(into: &objects) }
    }

    private mutating func add(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(TimedAnswerReader.Overflow) {
        guard range.count <= maximumBytes - object.count else { throw .init(limit: maximumBytes) }
        object.append(contentsOf: bytes[range])
    }

    private mutating func end(into objects: inout [Data]) {
        objects.append(object)
        object = Data()
        depth = 0
        (isInString, isEscaped) = (false, false)
    }
}
