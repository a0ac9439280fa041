/// The tags around words in the entries of a module: `<w lemma="strong:H1254">created</w>`.
///
/// They name the words of the Hebrew and the Greek, which no page shows. A Bible has 700,000 of them, so they are removed
/// before the markup is read.
enum SwordWords {
    /// Returns an entry without the tags of words. Their contents stay.
    static func removed(from content: [UInt8]) -> [UInt8] {
        // Character data and comments may have such a tag as text.
        guard content.index(of: UInt8(ascii: "<"), from: 0) != nil, !hasDeclaration(content) else { return content }
        return [UInt8](unsafeUninitializedCapacity: content.count) { output, count in
            content.withUnsafeBufferPointer { input in
                var (place, kept) = (0, 0)
                while place < input.count {
                    if input[place] == UInt8(ascii: "<"), let end = endOfTag(input, place) {
                        place = end
                        continue
                    }
                    output[kept] = input[place]
                    place += 1
                    kept += 1
                }
                count = kept
            }
        }
    }

    private static func hasDeclaration(_ content: [UInt8]) -> Bool {
        var place = 0
        while let mark = content.index(of: UInt8(ascii: "!"), from: place) {
            if mark > 0, content[mark - 1] == UInt8(ascii: "<") { return true }
            place = mark + 1
        }
        return false
    }

    /// Returns the index behind the tag of a word that begins at a place; `nil` if none begins there.
    private static func endOfTag(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        var place = start + 1
        if place < bytes.count, bytes[place] == UInt8(ascii: "/") { place += 1 }
        guard place + 1 < bytes.count, bytes[place] == UInt8(ascii: "w") else { return nil }
        switch bytes[place + 1] {
        case UInt8(ascii: ">"), UInt8(ascii: "/"), 0x20, 0x09, 0x0A, 0x0D: break
        default: return nil
        }
        place += 1
        var quote: UInt8 = 0
        while place < bytes.count {
            let byte = bytes[place]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: ">") {
                return place + 1
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "<") {
                return nil
            }
            place += 1
        }
        return nil
    }
}
