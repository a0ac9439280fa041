/// The footnotes and endnotes of an EPUB, by their addresses. Each file is read once.
struct EPUBNotes {
    private var files: [String: [String: [Inline]]] = [:]
    /// The notes to which an element refers.
    private(set) var referred: Set<EPUBPath> = []

    /// Returns whether an element is a note, by its attributes.
    static func isNote(_ tag: MarkupTag) -> Bool {
        let types =
            (tag.attribute("epub:type") ?? "").split(separator: " ")
            + (tag.attribute("role") ?? "").split(separator: " ")
        return tag.attribute("id") != nil
            && types.contains { ["footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"].contains($0) }
    }

    /// Returns whether an element refers to a note, by its attributes.
    static func isReference(_ tag: MarkupTag) -> Bool {
        (tag.attribute("epub:type") ?? "").split(separator: " ").contains("noteref")
            || (tag.attribute("role") ?? "").split(separator: " ").contains("doc-noteref")
    }

    /// Returns the text of a note to which an element refers; `nil` if it is not there.
    mutating func refer(to path: EPUBPath, read: (String) throws -> [UInt8]?) throws -> [Inline]? {
        let text = try note(path, read: read)
        if text != nil { referred.insert(path) }
        return text
    }

    /// Returns the text of a note; `nil` if it is not there.
    mutating func note(_ path: EPUBPath, read: (String) throws -> [UInt8]?) throws -> [Inline]? {
        guard let fragment = path.fragment else { return nil }
        if files[path.file] == nil {
            guard files.count < 200 else { return nil }
            files[path.file] = try read(path.file).map(Self.notes) ?? [:]
        }
        return files[path.file]?[fragment]
    }

    private static func notes(_ bytes: [UInt8]) throws -> [String: [Inline]] {
        var notes: [String: [Inline]] = [:]
        let reader = MarkupReader(page: bytes)
        var id: String?
        var depth = 0
        var backlink = 0
        var inlines: [Inline] = []
        while let token = try reader.next() {
            switch token {
            case .start(let tag):
                if id == nil {
                    guard isNote(tag) else { continue }
                    id = tag.attribute("id")
                    depth = 0
                    inlines = []
                }
                depth += 1
                let isBack = (tag.attribute("epub:type") ?? tag.attribute("role") ?? "").contains("backlink")
                if backlink > 0 || isBack { backlink += 1 }
            case .text(let text): if id != nil, backlink == 0 { inlines.append(.text(text.collapsedInside)) }
            case .end(let name):
                guard let open = id else { continue }
                depth -= 1
                if backlink > 0 { backlink -= 1 }
                if ["p", "li", "div"].contains(name) { inlines.append(.text(" ")) }
                if depth <= 0 {
                    notes[open] = inlines.tidied
                    id = nil
                    backlink = 0
                }
            }
        }
        return notes
    }
}
