/// Collects inlines: collapses white space, and joins text of the same style.
struct InlineRun {
    private(set) var inlines: [Inline] = []
    private var text = ""
    private var style: TextStyle = []
    /// A Boolean value that tells whether a space would be dropped: at the start, and after another one.
    private(set) var endsWithSpace: Bool
    /// The number of bytes of text.
    private(set) var size = 0

    init(endsWithSpace: Bool = true) { self.endsWithSpace = endsWithSpace }

    /// A Boolean value that tells whether there is nothing.
    var isEmpty: Bool { inlines.isEmpty && text.isEmpty }

    /// Appends text. Each run of white space becomes one space, and control characters are dropped.
    mutating func append(_ new: String, _ newStyle: TextStyle) {
        if newStyle != style {
            flush()
            style = newStyle
        }
        let before = text.utf8.count
        if InlineRun.isClean(new, afterSpace: endsWithSpace) {
            text += new
            if let last = new.utf8.last { endsWithSpace = last == 0x20 }
        } else {
            appendCollapsed(new)
        }
        size += text.utf8.count - before
    }

    private mutating func appendCollapsed(_ new: String) {
        for scalar in new.unicodeScalars {
            if scalar.properties.isWhitespace {
                if !endsWithSpace { text.unicodeScalars.append(" ") }
                endsWithSpace = true
            } else if scalar.value >= 0x20, scalar.value != 0x7F {
                text.unicodeScalars.append(scalar)
                endsWithSpace = false
            }
        }
    }

    mutating func append(_ note: Note) {
        flush()
        inlines.append(.note(note))
        size += 64 + note.inlines.reduce(0) { sum, inline in
            if case .text(let text, _) = inline { sum + text.utf8.count } else { sum }
        }
    }

    /// Appends a line break, unless nothing precedes it.
    mutating func appendLineBreak() {
        guard !isEmpty else { return }
        flush()
        if inlines.last != .lineBreak { inlines.append(.lineBreak) }
        endsWithSpace = true
    }

    /// Appends a space, unless there is one.
    mutating func separate() {
        guard !endsWithSpace else { return }
        text += " "
        endsWithSpace = true
    }

    /// Returns the inlines, and starts again. `trimmed` drops a space or a line break at the end.
    mutating func take(trimmed: Bool) -> [Inline] {
        flush()
        defer {
            inlines = []
            size = 0
            if trimmed { endsWithSpace = true }
        }
        guard trimmed else { return inlines }
        if inlines.last == .lineBreak { inlines.removeLast() }
        if case .text(let last, let style)? = inlines.last, last.utf8.last == 0x20 {
            inlines.removeLast()
            if last.utf8.count > 1 { inlines.append(.text(String(last.dropLast()), style)) }
        }
        return inlines
    }

    private mutating func flush() {
        guard !text.isEmpty else { return }
        inlines.append(.text(text, style))
        text = ""
    }

    /// Returns a Boolean value that tells whether text has no white space to collapse and no control character.
    private static func isClean(_ text: String, afterSpace: Bool) -> Bool {
        var wasSpace = afterSpace
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte <= 0x20 {
                if byte != 0x20 || wasSpace { return false }
                wasSpace = true
            } else {
                wasSpace = false
                if byte == 0x7F { return false }
                // The lead bytes of U+0085, U+00A0, U+1680, U+2000 and following, and U+3000.
                if byte >= 0x80, byte < 0xC0 {
                    switch previous {
                    case 0xC2 where byte == 0x85 || byte == 0xA0: return false
                    case 0xE1 where byte == 0x9A: return false
                    case 0xE3 where byte == 0x80: return false
                    default: break
                    }
                }
                if previous == 0xE2, byte == 0x81 { return false }
            }
            previous = byte
        }
        return !InlineRun.hasWideSpace(text)
    }

    /// Returns a Boolean value that tells whether text has a space of U+2000–U+200A, U+2028, U+2029 or U+202F.
    private static func hasWideSpace(_ text: String) -> Bool {
        var (first, second): (UInt8, UInt8) = (0, 0)
        for byte in text.utf8 {
            if first == 0xE2, second == 0x80, byte <= 0x8A || byte == 0xA8 || byte == 0xA9 || byte == 0xAF { return true }
            (first, second) = (second, byte)
        }
        return false
    }
}
