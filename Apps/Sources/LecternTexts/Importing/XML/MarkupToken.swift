/// A piece of an XML document or fragment.
enum MarkupToken {
    /// The start of an element. An empty element is followed by its end.
    case start(MarkupTag)
    /// The end of an element, with its name without a prefix.
    case end(String)
    /// A run of text, or a part of one. Entities are replaced.
    case text(String)
}

/// The start tag of an element.
///
/// Attributes are read on demand: most elements of a Bible are words whose attributes nobody needs.
struct MarkupTag {
    /// The name, without a prefix.
    let name: String
    /// A Boolean value that tells whether the element is empty (`<lb/>`).
    let isEmpty: Bool
    /// The bytes between the name and the end of the tag.
    let attributes: ArraySlice<UInt8>

    /// Returns the value of an attribute, or `nil` if the tag has none of this name. Prefixes count: `xml:lang`.
    func attribute(_ wanted: StaticString) -> String? {
        let count = wanted.utf8CodeUnitCount
        var rest = attributes
        while let attribute = MarkupTag.takeAttribute(&rest) {
            guard attribute.name.count == count else { continue }
            let matches = wanted.withUTF8Buffer { attribute.name.elementsEqual($0) }
            if matches { return MarkupText.decode(attribute.value, entities: [:]).text }
        }
        return nil
    }

    /// Takes the next attribute from the front of `bytes`; `nil` at the end, or where the bytes are no attribute.
    static func takeAttribute(
        _ bytes: inout ArraySlice<UInt8>
    ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        bytes = bytes.drop(while: MarkupText.isSpace)
        let name = bytes.prefix { $0 != UInt8(ascii: "=") && !MarkupText.isSpace($0) }
        guard !name.isEmpty else { return nil }
        bytes = bytes[name.endIndex...].drop(while: MarkupText.isSpace)
        guard bytes.first == UInt8(ascii: "=") else { return nil }
        bytes = bytes.dropFirst().drop(while: MarkupText.isSpace)
        guard let quote = bytes.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        let value = bytes.dropFirst().prefix { $0 != quote }
        guard value.endIndex < bytes.endIndex else { return nil }
        bytes = bytes[(value.endIndex + 1)...]
        return (name, value)
    }
}
