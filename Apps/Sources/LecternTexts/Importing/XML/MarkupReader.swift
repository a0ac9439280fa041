import Foundation

/// Reads XML in pieces, within bounded memory and without ever opening another resource.
///
/// A document is read strictly: tags must match, text must be UTF-8, and a document type with declarations is refused,
/// so entities can neither expand nor name a file. A fragment, such as an entry of a SWORD module, is read leniently:
/// its tags may have their other half in another fragment, and a `<` that begins no tag is text.
///
/// `XMLParser` of Foundation is not used: it needs well-formed documents, which entries are not, and it builds a
/// dictionary for each of the 700,000 words that a module tags.
final class MarkupReader {
    /// How strictly XML is read.
    enum Mode {
        /// A whole document. `entities` are those known beside the five of XML.
        case document(entities: [String: String] = [:])
        /// A piece of one.
        case fragment
    }

    /// The deepest nesting of elements.
    static let depthLimit = 256
    /// The longest tag, comment or instruction, in bytes.
    static let tagLimit = 1 << 20

    private let source: () throws -> [UInt8]?
    private let isStrict: Bool
    private let entities: [String: String]
    private var buffer: [UInt8] = []
    private var position = 0
    private var atEnd = false
    private var linesBefore = 0
    private var open: [String] = []
    private var hasRoot = false
    private var pendingEnd: String?
    /// A Boolean value that tells whether bytes that are no UTF-8 were replaced. Only fragments are repaired.
    private(set) var hasInvalidBytes = false

    /// Creates a reader of a document that `source` delivers in pieces; `nil` ends it.
    init(_ mode: Mode, source: @escaping () throws -> [UInt8]?) {
        self.source = source
        switch mode {
        case .document(let entities): (isStrict, self.entities) = (true, entities)
        case .fragment: (isStrict, entities) = (false, [:])
        }
    }

    /// Creates a reader of a fragment.
    init(fragment: [UInt8]) {
        (source, isStrict, entities) = ({ nil }, false, [:])
        buffer = fragment
        atEnd = true
    }

    /// The line of the next token, from 1.
    var line: Int { linesBefore + buffer[..<position].count { $0 == 0x0A } + 1 }

    /// Returns the next token, or `nil` at the end.
    ///
    /// - Throws: ``TextImportError``, or an error of the source.
    func next() throws -> MarkupToken? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while true {
            if position == buffer.count {
                guard try refill() else { return try finish() }
            }
            if buffer[position] == UInt8(ascii: "<") {
                if let token = try readMarkup() { return token }
            } else if let text = try readText() {
                return text
            }
        }
    }

    private func finish() throws -> MarkupToken? {
        guard isStrict else { return nil }
        if let last = open.last {
            throw damaged("The file ends within the element '\(last)'; it is truncated. Get it again.")
        }
        guard hasRoot else { throw damaged("The file has no XML element. Choose an XML file.") }
        return nil
    }

    /// Reads more bytes behind those that are not consumed. Returns `false` at the end.
    private func refill() throws -> Bool {
        guard !atEnd else { return false }
        linesBefore += buffer[..<position].count { $0 == 0x0A }
        buffer.removeSubrange(..<position)
        position = 0
        let isFirst = linesBefore == 0 && buffer.isEmpty && !hasRoot
        while let piece = try source() {
            if piece.isEmpty { continue }
            buffer += piece
            if isFirst { try checkEncoding() }
            return true
        }
        atEnd = true
        return false
    }

    private func checkEncoding() throws {
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard isStrict else { return }
        if buffer.starts(with: [0xFF, 0xFE]) || buffer.starts(with: [0xFE, 0xFF]) || buffer.prefix(4).contains(0) {
            throw damaged("The file is UTF-16 or UTF-32. Convert it to UTF-8, for example with iconv.")
        }
    }

    private func readText() throws -> MarkupToken? {
        let start = position
        var end = index(of: UInt8(ascii: "<"), from: start) ?? buffer.count
        if end == buffer.count, !atEnd {
            // Keep a character or a reference that the next piece may complete.
            let tail = buffer[max(start, end - 32)...]
            if let reference = tail.lastIndex(of: UInt8(ascii: "&")), !buffer[reference...].contains(UInt8(ascii: ";")) {
                end = reference
            } else if let lead = tail.suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
                end = lead
            }
            if end == start {
                _ = try refill()
                return nil
            }
        }
        position = end
        return try text(buffer[start..<end])
    }

    private func text(_ bytes: ArraySlice<UInt8>, isLiteral: Bool = false) throws -> MarkupToken? {
        if isStrict, open.isEmpty {
            if bytes.allSatisfy(MarkupText.isSpace) { return nil }
            throw damaged("There is text outside of the root element. Choose an XML file.")
        }
        let decoded = isLiteral ? MarkupText.decode(bytes, literally: true) : MarkupText.decode(bytes, entities: entities)
        if decoded.hasInvalidBytes {
            if isStrict { throw damaged("The file has bytes that are not UTF-8. Convert it to UTF-8.") }
            hasInvalidBytes = true
        }
        if isStrict, let entity = decoded.unknownEntity {
            throw damaged("The entity '\(entity)' is not known. Replace it by its character.")
        }
        return .text(decoded.text)
    }

    /// Reads a tag, a comment, an instruction or a section of character data. Returns `nil` if there is no token.
    private func readMarkup() throws -> MarkupToken? {
        while buffer.count - position < 9, try refill() {}
        if matches("<!--") {
            guard try skip(past: "-->", from: 4) else { return literal() }
            return nil
        }
        if matches("<![CDATA[") {
            guard let end = try find("]]>", from: 9) else { return literal() }
            let bytes = buffer[(position + 9)..<end]
            position = end + 3
            return bytes.isEmpty ? nil : try text(bytes, isLiteral: true)
        }
        if matches("<?") {
            let start = position
            guard let end = try find("?>", from: 2) else { return literal() }
            if isStrict, start == position { try checkDeclaration(buffer[position..<end]) }
            position = end + 2
            return nil
        }
        if matches("<!") { return try skipDocumentType() }
        guard let end = try endOfTag() else {
            if isStrict { throw damaged("The file ends within a tag; it is truncated. Get it again.") }
            return literal()
        }
        return try tag(buffer[(position + 1)..<end], end: end)
    }

    private func tag(_ content: ArraySlice<UInt8>, end: Int) throws -> MarkupToken? {
        let isEnd = content.first == UInt8(ascii: "/")
        var inner = isEnd ? content.dropFirst() : content
        let isEmpty = !isEnd && inner.last == UInt8(ascii: "/")
        if isEmpty { inner = inner.dropLast() }
        let bytes = inner.prefix { !MarkupText.isSpace($0) }
        guard let first = bytes.first, MarkupReader.beginsName(first) else {
            if isStrict { throw damaged("A '<' begins no tag. Write it as '&lt;'.") }
            return literal()
        }
        let local = bytes.lastIndex(of: UInt8(ascii: ":")).map { bytes[($0 + 1)...] } ?? bytes
        let name = String(decoding: local, as: UTF8.self)
        if isStrict {
            if isEnd {
                guard let last = open.popLast(), last == name else {
                    throw damaged("The end of '\(name)' does not match the element that is open. Repair the file.")
                }
            } else {
                try begin(name, attributes: inner[bytes.endIndex...], isEmpty: isEmpty)
            }
        }
        position = end + 1
        if isEnd { return .end(name) }
        if isEmpty { pendingEnd = name }
        return .start(MarkupTag(name: name, isEmpty: isEmpty, attributes: inner[bytes.endIndex...]))
    }

    private func begin(_ name: String, attributes: ArraySlice<UInt8>, isEmpty: Bool) throws {
        if open.isEmpty, hasRoot { throw damaged("The file has two root elements. Repair the file.") }
        hasRoot = true
        var rest = attributes
        while let attribute = MarkupTag.takeAttribute(&rest) {
            if attribute.value.contains(UInt8(ascii: "<")) { throw damaged("An attribute of '\(name)' contains '<'.") }
        }
        guard rest.allSatisfy(MarkupText.isSpace) else {
            throw damaged("The attributes of '\(name)' are not well-formed. Repair the file.")
        }
        if isEmpty { return }
        guard open.count < Self.depthLimit else {
            throw TextImportError(
                .tooLarge, "Elements are nested more than \(Self.depthLimit) deep. No text needs that; check the file.",
                place: place)
        }
        open.append(name)
    }

    private func skipDocumentType() throws -> MarkupToken? {
        guard isStrict else { return literal() }
        guard let end = try endOfTag() else { throw damaged("The file ends within a declaration. Get it again.") }
        if buffer[position..<end].contains(UInt8(ascii: "[")) || hasRoot {
            throw TextImportError(
                .damaged, "The file declares entities, which can name other files. Remove its document type.",
                place: place)
        }
        position = end + 1
        return nil
    }

    private func checkDeclaration(_ bytes: ArraySlice<UInt8>) throws {
        guard bytes.starts(with: "<?xml ".utf8) else { return }
        let tag = MarkupTag(name: "xml", isEmpty: true, attributes: bytes.dropFirst(5))
        let encoding = tag.attribute("encoding")?.lowercased() ?? "utf-8"
        guard encoding == "utf-8" || encoding == "us-ascii" else {
            throw damaged("The file is in \(encoding). Convert it to UTF-8, for example with iconv.")
        }
    }

    /// Returns the `<` as text, for a fragment in which it begins no tag.
    private func literal() -> MarkupToken {
        position += 1
        return .text("<")
    }

    private func damaged(_ message: String) -> TextImportError { TextImportError(.damaged, message, place: place) }

    private var place: String { "line \(line)" }

    static func beginsName(_ byte: UInt8) -> Bool {
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_")
            || byte >= 0x80
    }
}

extension MarkupReader {
    private func matches(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { buffer[position...].starts(with: $0) }
    }

    private func index(of byte: UInt8, from start: Int) -> Int? {
        buffer.withUnsafeBufferPointer { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }

    /// Returns the index of the `>` that ends the tag at the position, outside of quotes.
    private func endOfTag() throws -> Int? {
        var offset = 1
        var quote: UInt8 = 0
        while true {
            while position + offset < buffer.count {
                let byte = buffer[position + offset]
                if quote != 0 {
                    if byte == quote { quote = 0 }
                } else if byte == UInt8(ascii: ">") {
                    return position + offset
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                } else if byte == UInt8(ascii: "<"), !isStrict {
                    return nil
                }
                offset += 1
            }
            try checkLength(offset)
            guard try refill() else { return nil }
        }
    }

    private func checkLength(_ length: Int) throws {
        guard length > Self.tagLimit else { return }
        throw TextImportError(
            .tooLarge, "A tag or comment is longer than \(Self.tagLimit) bytes. Check the file.", place: "line \(line)")
    }

    private func skip(past end: StaticString, from offset: Int) throws -> Bool {
        guard let found = try find(end, from: offset) else { return false }
        position = found + end.utf8CodeUnitCount
        return true
    }

    private func find(_ wanted: StaticString, from offset: Int) throws -> Int? {
        let count = wanted.utf8CodeUnitCount
        var offset = offset
        while true {
            var start = position + offset
            while let candidate = index(of: wanted.utf8Start.pointee, from: start), candidate + count <= buffer.count {
                if wanted.withUTF8Buffer({ buffer[candidate...].starts(with: $0) }) { return candidate }
                start = candidate + 1
            }
            offset = max(offset, buffer.count - position - count + 1)
            try checkLength(offset)
            if try !refill() {
                if isStrict { throw damaged("The file ends within a comment or instruction. Get it again.") }
                return nil
            }
        }
    }
}
