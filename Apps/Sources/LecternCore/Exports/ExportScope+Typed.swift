public import LecternTexts

extension ExportScope {
    /// Reads a passage that a person typed: a book, a chapter, or several chapters of a book. Verses stand for their
    /// chapters.
    ///
    /// - Parameters:
    ///   - typed: The passage, such as `John`, `jn 3` or `Ps 120-134`.
    ///   - shape: The shape of the text.
    /// - Throws: ``ExportError`` with code `missing`, which offers the nearest passages.
    public init(typed: String, in shape: TextShape) throws(ExportError) {
        let formatter = ReferenceFormatter(shape)
        func choices(_ lists: [[Reference]]) -> String {
            lists.prefix(3).map { "\u{201C}\(formatter.text($0))\u{201D}" }.joined(separator: ", ")
        }
        let passage = "\u{201C}\(typed.prefix(80))\u{201D}"
        switch ReferenceParser(shape).parse(typed) {
        case .found(let references):
            guard references.count == 1, let reference = references.first else {
                throw ExportError(
                    code: .missing, message: "\(passage) has several passages. Name one, such as John 3-5.")
            }
            self.init(reference)
        case .ambiguous(let lists):
            throw ExportError(code: .missing, message: "\(passage) can be \(choices(lists)). Name one of them.")
        case .missing(let nearest) where !nearest.isEmpty:
            throw ExportError(
                code: .missing, message: "The text has no \(passage). The nearest is \(choices(nearest)).")
        case .missing, .notAReference:
            throw ExportError(
                code: .missing,
                message: "The text has no \(passage). Name a book or a chapter that it has, such as John 3.")
        }
    }

    /// Creates the scope of a passage. Verses stand for their chapters.
    public init(_ reference: Reference) {
        guard let places = reference.places else {
            self = .book(reference.book)
            return
        }
        let (first, last) = (places.lowerBound.chapter, places.upperBound.chapter)
        self =
            first < last
            ? .chapters(reference.book, first...last) : .chapter(ChapterID(reference.book, first))
    }
}
