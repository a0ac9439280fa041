extension Reference {
    /// Creates a reference of a `loc` of USX, such as `GEN 1:1-3`, `GEN 1:1-2:3` or `GEN 1`; `nil` if it is none.
    init?(usx text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count == 2, let book = BookCatalogue.standard.entry(usfm: String(words[0])) else { return nil }
        let ends = words[1].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = ends.first.flatMap({ Place(usx: $0, after: nil) }) else { return nil }
        var last = first
        if ends.count == 2 {
            guard let end = Place(usx: ends[1], after: first) else { return nil }
            last = end
        }
        guard first <= last else { return nil }
        self.init(book.id, first...last)
    }
}

extension Reference.Place {
    /// Creates a place of `3:16` or `3`. A single number behind a verse is a verse of the same chapter.
    fileprivate init?(usx text: some StringProtocol, after first: Reference.Place?) {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        switch (numbers.count, numbers.first ?? nil, numbers.last ?? nil) {
        case (1, let number?, _):
            if let first, first.verse != nil { self.init(first.chapter, number) } else { self.init(number) }
        case (2, let chapter?, let verse?): self.init(chapter, verse)
        default: return nil
        }
    }
}
