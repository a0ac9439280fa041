/// Splits USFM into markers and text, within bounded memory.
struct USFMTokenizer {
    enum Token: Equatable {
        /// A marker that begins something, such as `\p` or, nested, `\+nd`.
        case marker(String)
        /// A marker that ends something, such as `\wj*`.
        case end(String)
        /// The end of a milestone (`\*`).
        case milestoneEnd
        /// Text, or a part of a run of text.
        case text(String)
    }

    private let source: () throws -> [UInt8]?
    private var buffer: [UInt8] = []
    private var position = 0
    private var atEnd = false
    private var isFirst = true
    private var linesBefore = 0
    /// A Boolean value that tells whether bytes that are no UTF-8 were replaced.
    private(set) var hasInvalidBytes = false

    init(source: @escaping () throws -> [UInt8]?) { self.source = source }

    /// The line of the next token, from 1.
    var line: Int { linesBefore + buffer[..<position].count { $0 == 0x0A } + 1 }

    /// Returns the next token, or `nil` at the end.
    mutating func next() throws -> Token? {
        while position == buffer.count { guard try refill() else { return nil } }
        return buffer[position] == UInt8(ascii: "\\") ? try readMarker() : try readText()
    }

    private mutating func refill() throws -> Bool {
        guard !atEnd else { return false }
        linesBefore += buffer[..<position].count { $0 == 0x0A }
        buffer.removeSubrange(..<position)
        position = 0
        guard let piece = try source() else {
            atEnd = true
            return false
        }
        buffer += piece
        if isFirst, buffer.count >= 4 {
            isFirst = false
            if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
            if buffer.starts(with: [0xFF, 0xFE]) || buffer.starts(with: [0xFE, 0xFF]) {
                throw TextImportError(
                    .damaged, "The file is UTF-16. Convert it to UTF-8, for example with iconv.", place: "line 1")
            }
        }
        return true
    }

    private mutating func readMarker() throws -> Token? {
        while buffer.count - position < 40, try refill() {}
        var end = position + 1
        let limit = min(buffer.count, position + 34)
        while end < limit, USFMTokenizer.isMarkerByte(buffer[end], isFirst: end == position + 1) { end += 1 }
        let name = String(decoding: buffer[(position + 1)..<end], as: UTF8.self)
        let isEnd = end < buffer.count && buffer[end] == UInt8(ascii: "*")
        if name.isEmpty || name == "+" {
            position += 1
            if isEnd, name.isEmpty {
                position += 1
                return .milestoneEnd
            }
            // USFM has no escapes; a backslash before another character is text.
            return .text("\\")
        }
        position = end
        if isEnd {
            position += 1
            return .end(name)
        }
        if end < buffer.count, MarkupText.isSpace(buffer[end]) { position += 1 }
        return .marker(name)
    }

    private mutating func readText() throws -> Token? {
        var end = buffer[position...].firstIndex(of: UInt8(ascii: "\\")) ?? buffer.count
        if end == buffer.count, !atEnd, let lead = buffer[position...].suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
            if lead == position, try refill() { return try readText() }
            if lead > position { end = lead }
        }
        let bytes = buffer[position..<min(end, buffer.count)]
        position = bytes.endIndex
        if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
        hasInvalidBytes = true
        return .text(String(decoding: bytes, as: UTF8.self))
    }

    private static func isMarkerByte(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        case UInt8(ascii: "+"): isFirst
        default: false
        }
    }
}
