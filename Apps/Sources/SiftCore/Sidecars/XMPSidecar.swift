/// An XMP sidecar, whose foreign content is kept byte for byte.
///
/// Only the properties that Sift sets are changed: `xmp:Rating` (-1 for a rejected photo), `xmp:Label`, and
/// `digiKam:PickLabel` (3 for a favourite).
public struct XMPSidecar: Sendable, Hashable {
    /// A property that Sift reads and writes.
    public enum Property: Sendable, Hashable, CaseIterable {
        /// The rating.
        case rating
        /// The colour label.
        case label
        /// The pick label, which marks favourites.
        case pick

        var namespace: String {
            switch self {
            case .rating, .label: "http://ns.adobe.com/xap/1.0/"
            case .pick: "http://www.digikam.org/ns/1.0/"
            }
        }

        var prefix: String { self == .pick ? "digiKam" : "xmp" }

        var name: String {
            switch self {
            case .rating: "Rating"
            case .label: "Label"
            case .pick: "PickLabel"
            }
        }
    }

    /// The content.
    public private(set) var bytes: [UInt8]

    /// Creates an empty sidecar.
    public init() {
        bytes = Array(
            """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about=""/>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>

            """.utf8)
    }

    /// Reads a sidecar.
    ///
    /// - Throws: ``PhotoProcessingError`` with code `processingFailed` for content that is not XMP in UTF-8. Such a
    ///   file is never changed.
    public init(_ bytes: [UInt8]) throws(PhotoProcessingError) {
        self.bytes = bytes
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Self.unreadable("not UTF-8") }
        guard try scan().contains(where: \.describesPhoto) else { throw Self.unreadable("no rdf:Description") }
    }

    private static func unreadable(_ cause: String) -> PhotoProcessingError {
        PhotoProcessingError(
            .processingFailed, message: "The photo's XMP sidecar cannot be read, and was left as it is.",
            advice: "Open the photo in the program that wrote the sidecar, or move the sidecar away.", cause: cause)
    }

    /// Returns the value of a property, or nil if the sidecar does not have it.
    public func value(of property: Property) throws(PhotoProcessingError) -> String? {
        guard let place = try places(of: property).first else { return nil }
        return place.closing.isEmpty ? XMLText.decoded(bytes[place.value]) : ""
    }

    /// Sets a property, or removes it. Does nothing if it has that value.
    public mutating func set(_ property: Property, to value: String?) throws(PhotoProcessingError) {
        guard try self.value(of: property) != value else { return }
        let places = try places(of: property)
        // From the end, so that the earlier places stay where they are.
        for (index, place) in places.enumerated().reversed() {
            if let value, index == 0 {
                bytes.replaceSubrange(place.value, with: place.opening + XMLText.encoded(value) + place.closing)
            } else {
                bytes.removeSubrange(place.whole)
            }
        }
        guard let value, places.isEmpty else { return }
        guard let description = try scan().first(where: \.describesPhoto) else { throw Self.unreadable("changed") }
        let prefix = description.namespaces.first { $0.value == property.namespace && !$0.key.isEmpty }?.key
        var text = ""
        if prefix == nil { text += " xmlns:\(Self.free(property.prefix, in: description))=\"\(property.namespace)\"" }
        text += " \(prefix ?? Self.free(property.prefix, in: description)):\(property.name)=\""
        bytes.insert(contentsOf: Array(text.utf8) + XMLText.encoded(value) + [0x22], at: description.nameEnd)
    }

    /// Returns a prefix that stands for no other namespace here.
    private static func free(_ prefix: String, in element: XMLScanner.Element) -> String {
        var candidate = prefix
        while element.namespaces[candidate] != nil { candidate += "_" }
        return candidate
    }

    // MARK: Places

    private struct Place {
        /// The value itself.
        let value: Range<Int>
        /// The end of the start tag, and the end tag, for an element that has no end tag yet. Else empty.
        var opening: [UInt8] = []
        var closing: [UInt8] = []
        /// The attribute with the space before it, or the element with its tags.
        let whole: Range<Int>
    }

    private func scan() throws(PhotoProcessingError) -> [XMLScanner.Element] {
        guard let elements = XMLScanner.elements(of: bytes) else { throw Self.unreadable("not well-formed") }
        return elements
    }

    /// Returns where a property of the photo is: as attributes of `rdf:Description`, or as elements inside it. A
    /// description inside another one is of something else, such as a picture from which the photo was made.
    private func places(of property: Property) throws(PhotoProcessingError) -> [Place] {
        let elements = try scan()
        var places: [Place] = []
        for element in elements {
            if element.describesPhoto {
                for attribute in element.attributes
                where attribute.local == property.name && element.namespaces[attribute.prefix] == property.namespace
                    && !attribute.prefix.isEmpty
                {
                    places.append(Place(value: attribute.value, whole: attribute.whole))
                }
            } else if element.local == property.name, element.namespaces[element.prefix] == property.namespace,
                let parent = element.parent, elements[parent].describesPhoto
            {
                places.append(place(of: element))
            }
        }
        return places.sorted { $0.whole.lowerBound < $1.whole.lowerBound }
    }
}

extension XMPSidecar {
    private func place(of element: XMLScanner.Element) -> Place {
        let whole = element.start..<element.end
        if let content = element.content { return Place(value: content, whole: whole) }
        // `<xmp:Rating/>`: a value goes between `>` and an end tag, in place of `/>`.
        let name = bytes[element.start + 1..<element.nameEnd]
        return Place(
            value: element.end - 2..<element.end, opening: [UInt8(ascii: ">")],
            closing: Array("</".utf8) + name + [UInt8(ascii: ">")], whole: whole)
    }
}

/// Finds the elements and attributes of an XML document and where they are. Expands no entity and reads no other file.
enum XMLScanner {
    struct Attribute {
        let prefix: String
        let local: String
        let value: Range<Int>
        /// From the white space before the name to the closing quote.
        let whole: Range<Int>
    }

    struct Element {
        let prefix: String
        let local: String
        var attributes: [Attribute]
        /// The namespaces that prefixes stand for inside the element.
        var namespaces: [String: String]
        let parent: Int?
        let start: Int
        /// Behind the element's name in its start tag.
        let nameEnd: Int
        /// Between the tags, if the element has an end tag.
        var content: Range<Int>?
        var end: Int

        /// Whether the element is an `rdf:Description` directly inside `rdf:RDF`.
        let describesPhoto: Bool

        /// Returns whether the element has this name in the namespace of RDF.
        func isRDF(_ name: String) -> Bool { Self.isRDF(name, prefix, local, namespaces) }

        static func isRDF(_ name: String, _ prefix: String, _ local: String, _ namespaces: [String: String]) -> Bool {
            local == name && namespaces[prefix] == "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        }
    }

    /// Returns the elements in the order of their start tags. Returns nil for what is not well-formed, for a document
    /// type, and for more than 10,000 elements.
    static func elements(of bytes: [UInt8]) -> [Element]? {
        var scanner = Scanner(bytes: bytes)
        return scanner.run() ? scanner.elements : nil
    }

    private struct Scanner {
        let bytes: [UInt8]
        var at = 0
        var elements: [Element] = []
        var open: [Int] = []

        mutating func run() -> Bool {
            while at < bytes.count {
                guard bytes[at] == UInt8(ascii: "<") else {
                    at += 1
                    continue
                }
                if starts("<!--") {
                    guard skip(past: "-->") else { return false }
                } else if starts("<?") {
                    guard skip(past: "?>") else { return false }
                } else if starts("<![CDATA[") {
                    guard skip(past: "]]>") else { return false }
                } else if starts("<!") {
                    return false
                } else if starts("</") {
                    guard endTag() else { return false }
                } else {
                    guard elements.count < 10_000, startTag() else { return false }
                }
            }
            return open.isEmpty && !elements.isEmpty
        }

        func starts(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

        mutating func skip(past text: String) -> Bool {
            let mark = Array(text.utf8)
            while at + mark.count <= bytes.count {
                if bytes[at..<at + mark.count].elementsEqual(mark) {
                    at += mark.count
                    return true
                }
                at += 1
            }
            return false
        }

        mutating func name() -> (prefix: String, local: String)? {
            let start = at
            while at < bytes.count, !isSpace(bytes[at]), !Set("=/><\"'".utf8).contains(bytes[at]) { at += 1 }
            guard at > start else { return nil }
            let text = String(decoding: bytes[start..<at], as: UTF8.self)
            guard let colon = text.firstIndex(of: ":") else { return ("", text) }
            return (String(text[..<colon]), String(text[text.index(after: colon)...]))
        }

        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

        mutating func skipSpace() { while at < bytes.count, isSpace(bytes[at]) { at += 1 } }

        mutating func startTag() -> Bool {
            let start = at
            at += 1
            guard let name = name() else { return false }
            let nameEnd = at
            var namespaces = open.last.map { elements[$0].namespaces } ?? [:]
            var attributes: [Attribute] = []
            while true {
                let space = at
                skipSpace()
                guard at < bytes.count else { return false }
                let isEmpty = bytes[at] == UInt8(ascii: "/")
                if isEmpty || bytes[at] == UInt8(ascii: ">") {
                    at += isEmpty ? 2 : 1
                    guard at <= bytes.count, bytes[at - 1] == UInt8(ascii: ">") else { return false }
                    let isInRDF = open.last.map { elements[$0].isRDF("RDF") } ?? false
                    elements.append(
                        Element(
                            prefix: name.prefix, local: name.local, attributes: attributes, namespaces: namespaces,
                            parent: open.last, start: start, nameEnd: nameEnd, content: nil, end: at,
                            describesPhoto: isInRDF
                                && Element.isRDF("Description", name.prefix, name.local, namespaces)))
                    if !isEmpty { open.append(elements.count - 1) }
                    return true
                }
                guard space < at, let attribute = self.name() else { return false }
                skipSpace()
                guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else { return false }
                at += 1
                skipSpace()
                guard at < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[at]) else {
                    return false
                }
                let quote = bytes[at]
                let valueStart = at + 1
                guard let valueEnd = bytes[valueStart...].firstIndex(of: quote) else { return false }
                at = valueEnd + 1
                let value = valueStart..<valueEnd
                if attribute.prefix == "xmlns" {
                    namespaces[attribute.local] = XMLText.decoded(bytes[value])
                } else if attribute.prefix.isEmpty, attribute.local == "xmlns" {
                    namespaces[""] = XMLText.decoded(bytes[value])
                }
                attributes.append(
                    Attribute(prefix: attribute.prefix, local: attribute.local, value: value, whole: space..<at))
            }
        }

        mutating func endTag() -> Bool {
            let start = at
            at += 2
            guard let name = name(), let element = open.popLast(), elements[element].prefix == name.prefix,
                elements[element].local == name.local
            else { return false }
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: ">") else { return false }
            at += 1
            let contentStart = bytes[elements[element].nameEnd...].firstIndex(of: UInt8(ascii: ">"))
            elements[element].content = contentEnd(of: element, contentStart, start)
            elements[element].end = at
            return true
        }

        /// Returns the range between the tags. The start tag ends behind its last attribute.
        func contentEnd(of element: Int, _ fallback: Int?, _ end: Int) -> Range<Int> {
            let behind = elements[element].attributes.last?.whole.upperBound ?? elements[element].nameEnd
            let close = bytes[behind...].firstIndex(of: UInt8(ascii: ">")) ?? fallback ?? end
            return min(close + 1, end)..<end
        }
    }
}

/// Text in XML.
enum XMLText {
    private static let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    /// Returns text for an attribute or an element.
    static func encoded(_ text: String) -> [UInt8] {
        var encoded = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": encoded += "&amp;"
            case "<": encoded += "&lt;"
            case ">": encoded += "&gt;"
            case "\"": encoded += "&quot;"
            case "'": encoded += "&apos;"
            default: encoded.unicodeScalars.append(character)
            }
        }
        return Array(encoded.utf8)
    }

    /// Returns the text with the five named and all numbered entities resolved. Leaves others as they are.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var rest = String(decoding: bytes, as: UTF8.self)[...]
        var text = ""
        while let start = rest.firstIndex(of: "&") {
            text += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";") else { break }
            let name = rest[rest.index(after: start)..<end]
            if let plain = names[String(name)] {
                text += plain
            } else if name.hasPrefix("#"), let scalar = scalar(name.dropFirst()) {
                text.unicodeScalars.append(scalar)
            } else {
                text += rest[start...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }

    private static func scalar(_ digits: Substring) -> UnicodeScalar? {
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(UnicodeScalar.init)
    }
}
