/// The footnotes and endnotes of an EPUB, by their addresses. Each file is read once.
struct EPUBNotes {
    private var files: [String: [String: [Inline]]] = [:]

    /// Returns whether an element is a note, by its attributes.
    static func isNote(_ attributes: [String: String]) -> Bool {
        let types =
            (attributes["epub:type"] ?? "").split(separator: " ") + (attributes["role"] ?? "").split(separator: " ")
        return attributes["id"] != nil
            && types.contains { ["footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"].contains($0) }
    }

    /// Returns whether an element refers to a note, by its attributes.
    static func isReference(_ attributes: [String: String]) -> Bool {
        (attributes["epub:type"] ?? "").split(separator: " ").contains("noteref")
            || (attributes["role"] ?? "").split(separator: " ").contains("doc-noteref")
    }

    /// Returns the text of a note; `nil` if it is not there.
    mutating func note(_ path: EPUBPath, read: (String) throws -> [UInt8]?) rethrows -> [Inline]? {
        guard let fragment = path.fragment else { return nil }
        if files[path.file] == nil {
            guard files.count < 200 else { return nil }
            files[path.file] = try read(path.file).map(Self.notes) ?? [:]
        }
        return files[path.file]?[fragment]
    }

    private static func notes(_ bytes: [UInt8]) -> [String: [Inline]] {
        var notes: [String: [Inline]] = [:]
        var scanner = MarkupScanner(bytes)
        var id: String?
        var depth = 0
        var backlink = 0
        var inlines: [Inline] = []
        while let event = scanner.next() {
            switch event {
            case .start(_, let attributes):
                if id == nil {
                    guard isNote(attributes) else { continue }
                    id = attributes["id"]
                    depth = 0
                    inlines = []
                }
                depth += 1
                let isBack = (attributes["epub:type"] ?? attributes["role"] ?? "").contains("backlink")
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
