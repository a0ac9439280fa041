/// Reads XML or XHTML piece by piece, and forgives what browsers forgive.
///
/// Books are often not well-formed. A scanner that knows no document types has no entities of its own, so it neither
/// fetches nor multiplies anything: declarations, comments and processing instructions are skipped.
struct MarkupScanner {
    /// A piece of markup. Names are without prefix and in lower case; attributes keep their prefix.
    enum Event: Equatable {
        case start(String, [String: String])
        case end(String)
        case text(String)
    }

    private let bytes: [UInt8]
    private var place = 0
    /// Ends that belong to starts such as `<br/>`.
    private var pendingEnd: String?
    /// The element whose contents are no markup.
    private var raw: String?

    init(_ bytes: [UInt8]) { self.bytes = Array(TextDecoding.text(of: bytes).text.utf8) }

    /// Returns the next piece; `nil` at the end.
    mutating func next() -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        if let name = raw {
            raw = nil
            skip(to: "</" + name)
        }
        while place < bytes.count {
            if bytes[place] != UInt8(ascii: "<") { return .text(text()) }
            if starts("<!--") {
                place += 4
                skip(past: "-->")
            } else if starts("<![CDATA[") {
                let start = place + 9
                place = start
                skip(past: "]]>")
                let end = max(start, place >= start + 3 && hasSuffix("]]>") ? place - 3 : place)
                return .text(String(decoding: bytes[start..<end], as: UTF8.self))
            } else if starts("<?") {
                place += 2
                skip(past: ">")
            } else if starts("<!") {
                skipDeclaration()
            } else if starts("</") {
                place += 2
                let name = self.name()
                skip(past: ">")
                if !name.isEmpty { return .end(Self.local(name)) }
            } else if place + 1 < bytes.count, bytes[place + 1].isASCIILetter || bytes[place + 1] == UInt8(ascii: "_") {
                return start()
            } else {
                place += 1
                return .text("<")
            }
        }
        return nil
    }

    private mutating func start() -> Event {
        place += 1
        let name = Self.local(self.name())
        var attributes: [String: String] = [:]
        var isClosed = false
        while place < bytes.count {
            let byte = bytes[place]
            if byte == UInt8(ascii: ">") {
                place += 1
                break
            }
            if byte == UInt8(ascii: "<") { break }
            if byte == UInt8(ascii: "/") || byte.isASCIISpace || byte == UInt8(ascii: "=") {
                isClosed = byte == UInt8(ascii: "/")
                place += 1
                continue
            }
            isClosed = false
            let key = self.name()
            if key.isEmpty {
                place += 1
                continue
            }
            let value = self.value()
            if attributes.count < 64, attributes[key] == nil { attributes[key] = value }
        }
        if isClosed || Self.voids.contains(name) {
            pendingEnd = name
        } else if Self.raws.contains(name) {
            raw = name
        }
        return .start(name, attributes)
    }

    private mutating func name() -> String {
        let start = place
        while place < bytes.count, !bytes[place].isASCIISpace, !Self.nameEnds.contains(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<min(place, start + 200)], as: UTF8.self)
    }

    private mutating func value() -> String {
        while place < bytes.count, bytes[place].isASCIISpace { place += 1 }
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return "" }
        place += 1
        while place < bytes.count, bytes[place].isASCIISpace { place += 1 }
        guard place < bytes.count else { return "" }
        let quote = bytes[place]
        let start: Int
        let end: Int
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            start = place + 1
            end = bytes[start...].firstIndex(of: quote) ?? bytes.count
            place = min(end + 1, bytes.count)
        } else {
            start = place
            end = bytes[start...].firstIndex { $0.isASCIISpace || $0 == UInt8(ascii: ">") } ?? bytes.count
            place = end
        }
        return MarkupEntities.decoded(bytes[start..<min(end, start + 8_000)])
    }

    private mutating func text() -> String {
        let start = place
        place = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        return MarkupEntities.decoded(bytes[start..<place])
    }

    /// Steps over `<!DOCTYPE …>` with its declarations in brackets.
    private mutating func skipDeclaration() {
        var depth = 0
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                // Quotation marks hide brackets; one that is never closed hides nothing.
                if let end = bytes[place...].firstIndex(of: byte) { place = end + 1 }
            } else if byte == UInt8(ascii: "<") {
                depth += 1
            } else if byte == UInt8(ascii: ">") {
                depth -= 1
                if depth <= 0 { return }
            }
        }
    }

    private mutating func skip(past mark: String) {
        skip(to: mark)
        place = min(place + mark.utf8.count, bytes.count)
    }

    private mutating func skip(to mark: String) {
        while place < bytes.count, !starts(mark) { place += 1 }
    }

    /// Compares without regard to case; `mark` is in lower case or has no letters but those of CDATA.
    private func starts(_ mark: String) -> Bool {
        let mark = mark.utf8
        guard place + mark.count <= bytes.count else { return false }
        var index = place
        for byte in mark {
            if bytes[index] != byte, !(bytes[index].isASCIILetter && bytes[index] | 0x20 == byte) { return false }
            index += 1
        }
        return true
    }

    private func hasSuffix(_ mark: String) -> Bool { bytes[..<place].suffix(mark.utf8.count).elementsEqual(mark.utf8) }

    private static func local(_ name: String) -> String {
        let local = name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name[...]
        return local.lowercased()
    }

    private static let nameEnds = Set("<>=/\"'".utf8)
    private static let voids: Set<String> = ["br", "hr", "img", "input", "col", "wbr", "area"]
    private static let raws: Set<String> = ["script", "style"]
}
