/// Reads references as people type them: `jn 3 16`, `1 Jn 3:16-18`, `Ps 23; 27:1-4`, `Jude 5`, `II Kings 4`, `16ff`.
///
/// After a comma a single number is a verse if a verse precedes it, otherwise a chapter; after a semicolon it is a
/// chapter. In a book of one chapter a single number is a verse, except for 1, which is the chapter. A part of a verse
/// such as `16a` is the verse. `f` adds one verse or chapter, `ff` all that follow in the chapter or the book.
public struct ReferenceParser: Sendable {
    private let shape: TextShape
    private let names: BookNames
    private let allNames: BookNames
    /// The largest number of readings that are offered.
    private let limit = 8

    /// Creates a parser for a text.
    public init(_ shape: TextShape) {
        self.shape = shape
        names = BookNames(shape.books.map(\.description))
        allNames = BookNames(BookCatalogue.standard.entries.map(\.description))
    }

    /// Reads a text. `context` is the chapter that is open, to which `3.16`, `16` and `v. 16` refer.
    ///
    /// A text of more than 500 bytes is no reference.
    public func parse(_ text: String, context: ChapterID? = nil) -> ReferenceAnswer {
        guard text.utf8.count <= 500 else { return .notAReference }
        var grammar = ReferenceGrammar(ReferenceToken.tokens(of: text), names: names, allNames: allNames)
        guard let phrases = grammar.phrases(hasContext: context != nil) else { return .notAReference }
        var found: [[Reference]] = []
        var nearest: [[Reference]] = []
        let isGuess = phrases.contains { $0.books?.isGuess == true || $0.lastBooks?.isGuess == true }
        for choice in choices(of: phrases) {
            guard let references = ReferenceResolution(shape, context: context).references(of: choice) else {
                return .notAReference
            }
            let checks = references.map { shape.check($0) }
            if checks.allSatisfy({ $0 == .exists }), !isGuess {
                if !found.contains(references) { found.append(references) }
            } else {
                for list in repairs(references, checks) where !nearest.contains(list) { nearest.append(list) }
            }
        }
        switch found.count {
        case 0: return .missing(nearest: Array(nearest.prefix(limit)))
        case 1: return .found(found[0])
        default: return .ambiguous(Array(found.prefix(limit)))
        }
    }

    /// Returns the phrases with one candidate for each name. Limits the number of combinations.
    private func choices(of phrases: [ReferencePhrase]) -> [[ReferencePhrase]] {
        var choices: [[ReferencePhrase]] = [[]]
        for phrase in phrases {
            var next: [[ReferencePhrase]] = []
            for choice in choices {
                for book in phrase.books.map({ $0.candidates.map(Optional.some) }) ?? [nil] {
                    for last in phrase.lastBooks.map({ $0.candidates.map(Optional.some) }) ?? [nil] {
                        var chosen = phrase
                        if let book { chosen.books = ReferencePhrase.Books(candidates: [book]) }
                        if let last { chosen.lastBooks = ReferencePhrase.Books(candidates: [last]) }
                        if next.count < 64 { next.append(choice + [chosen]) }
                    }
                }
            }
            choices = next
        }
        return choices
    }

    /// Returns the list with what exists in place of what does not; several where a single passage has two neighbours.
    private func repairs(_ references: [Reference], _ checks: [ReferenceCheck]) -> [[Reference]] {
        var lists: [[Reference]] = [[]]
        for (reference, check) in zip(references, checks) {
            switch check {
            case .exists: lists = lists.map { $0 + [reference] }
            case .missing(let nearest):
                guard !nearest.isEmpty else { continue }
                lists = Array(lists.flatMap { list in nearest.map { list + [$0] } }.prefix(limit))
            }
        }
        return lists.filter { !$0.isEmpty }
    }
}
