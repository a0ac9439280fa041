/// HTML that a program builds itself, for a slot of a page that a template cannot write, such as a chapter with its
/// verses.
///
/// Names of elements and attributes are literals of the program. Texts and values are escaped, so that nothing of a
/// user's becomes an element.
///
/// ```swift
/// var markup = Markup()
/// markup.element("p", ["class": "verse"]) { $0.text(verse.text) }
/// ```
public struct Markup: Sendable, Hashable {
    /// The HTML.
    public private(set) var html = ""

    /// Creates empty markup.
    public init() {}

    /// Whether nothing was written.
    public var isEmpty: Bool { html.isEmpty }

    /// Reserves room for a number of bytes.
    public mutating func reserve(_ count: Int) { html.reserveCapacity(count) }

    /// Writes a text.
    public mutating func text(_ text: some StringProtocol) { escape(Substring(text)) }

    /// Writes other markup.
    public mutating func append(_ other: Markup) { html += other.html }

    /// Writes the start of an element. Attributes without a value are left out.
    public mutating func open(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:]
    ) {
        html += "<"
        html += name.text
        for (name, value) in attributes {
            guard let value else { continue }
            Self.check(name)
            html += " "
            html += name.text
            html += "=\""
            escape(value[...])
            html += "\""
        }
        html += ">"
    }

    /// Writes the end of an element.
    public mutating func close(_ name: StaticString) {
        html += "</"
        html += name.text
        html += ">"
    }

    /// Writes an element with its contents.
    public mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
        _ contents: (inout Markup) -> Void
    ) {
        open(name, attributes)
        contents(&self)
        close(name)
    }

    private mutating func escape(_ text: Substring) {
        guard text.utf8.contains(where: { Self.isSpecial($0) }) else {
            html.append(contentsOf: text)
            return
        }
        for character in text.unicodeScalars {
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(character)
            }
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }

    /// An inline style or a handler is a fault of the program: the pages' policy would not run it.
    private static func check(_ name: StaticString) {
        assert(
            !name.text.hasPrefix("on") && name.text != "style" && name.text != "srcdoc",
            "The attribute '\(name)' is not allowed.")
    }
}

extension StaticString {
    fileprivate var text: String { description }
}
