extension MarkupReader {
    func matches(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { buffer[position...].starts(with: $0) }
    }

    func index(of byte: UInt8, from start: Int) -> Int? { buffer.index(of: byte, from: start) }

    /// Returns the index of the `>` that ends the tag at the position, outside of quotes.
    func endOfTag() throws -> Int? {
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

    func checkLength(_ length: Int) throws {
        // A page is in memory already, and may have a picture in an attribute.
        guard isStrict, length > Self.tagLimit else { return }
        throw TextImportError(
            .tooLarge, "A tag or comment is longer than \(Self.tagLimit) bytes. Check the file.", place: "line \(line)")
    }

    func skip(past end: StaticString, from offset: Int) throws -> Bool {
        guard let found = try find(end, from: offset) else { return false }
        position = found + end.utf8CodeUnitCount
        return true
    }

    func find(_ wanted: StaticString, from offset: Int) throws -> Int? {
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

    /// Steps over the contents of a script or a style.
    func skipRaw(_ name: String) {
        let end = Array("</\(name)".utf8)
        while let found = index(of: UInt8(ascii: "<"), from: position) {
            position = found
            let ahead = buffer[found...].prefix(end.count)
            if ahead.elementsEqual(end, by: { $0 == $1 || ($0.isASCIILetter && $0 | 0x20 == $1) }) { return }
            position = found + 1
        }
        position = buffer.count
    }

    /// Steps over `<!DOCTYPE …>` with its declarations in brackets.
    func skipDeclaration() {
        var depth = 0
        while position < buffer.count {
            let byte = buffer[position]
            position += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                // Quotation marks hide brackets; one that is never closed hides nothing.
                if let end = index(of: byte, from: position) { position = end + 1 }
            } else if byte == UInt8(ascii: "<") {
                depth += 1
            } else if byte == UInt8(ascii: ">") {
                depth -= 1
                if depth <= 0 { return }
            }
        }
    }
}
