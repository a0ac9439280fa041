/// Takes a typed list of references apart into phrases.
struct ReferenceGrammar {
    private let tokens: [ReferenceToken]
    private let names: BookNames
    private let allNames: BookNames
    private var place = 0

    /// Creates a grammar. `names` are those of the text at hand, `allNames` those of every known book.
    init(_ tokens: [ReferenceToken], names: BookNames, allNames: BookNames) {
        self.tokens = tokens
        self.names = names
        self.allNames = allNames
    }

    /// Returns the phrases; `nil` if the tokens are no reference.
    mutating func phrases(hasContext: Bool) -> [ReferencePhrase]? {
        var phrases: [ReferencePhrase] = []
        var separator = ReferencePhrase.Separator.start
        while place < tokens.count {
            guard var phrase = phrase(separator) else { return nil }
            if phrases.isEmpty, phrase.books == nil, !hasContext { return nil }
            if phrase.books != nil, !phrases.isEmpty { phrase.separator = .semicolon }
            phrases.append(phrase)
            var isSeparated = false
            separator = .comma
            while let token = token(place) {
                switch token.kind {
                case .comma, .period: break
                case .word("and"), .word("also"): break
                case .semicolon: separator = .semicolon
                default:
                    isSeparated = true
                }
                if isSeparated { break }
                place += 1
            }
        }
        return phrases.isEmpty ? nil : phrases
    }

    private mutating func phrase(_ separator: ReferencePhrase.Separator) -> ReferencePhrase? {
        let start = place
        var phrase = ReferencePhrase(separator: separator)
        phrase.books = books()
        if phrase.books != nil { skip(.period, .colon) }
        phrase.first = spot(allowsRoman: phrase.books != nil)
        following(of: &phrase)
        if let dash = token(place),
            dash.kind == .dash || dash.word == "to" || dash.word == "through" || dash.word == "thru"
                || dash.word == "until"
        {
            place += 1
            phrase.isRange = true
            phrase.lastBooks = books()
            if phrase.lastBooks != nil { skip(.period, .colon) }
            phrase.last = spot(allowsRoman: false)
            guard phrase.last != nil || phrase.lastBooks != nil else { return nil }
            following(of: &phrase)
        }
        guard place > start, phrase.books != nil || phrase.first != nil else { return nil }
        return phrase
    }

    private mutating func following(of phrase: inout ReferencePhrase) {
        guard phrase.first != nil, let word = token(place)?.word else { return }
        if word == "f" || word == "ff" {
            phrase.following = word == "f" ? .one : .rest
            place += 1
        } else if word.count == 1, let letter = word.utf8.first, letter <= UInt8(ascii: "e"), tokens[place].isGlued {
            // A part of a verse, such as 16a, is the verse.
            place += 1
        }
    }

    // MARK: Numbers

    private mutating func spot(allowsRoman: Bool) -> ReferencePhrase.Spot? {
        if marker(Self.verseMarkers), let verse = number(roman: false) { return .verse(verse) }
        let isChapter = marker(Self.chapterMarkers)
        guard let first = number(roman: allowsRoman || isChapter) else { return nil }
        let before = place
        if let token = token(place), token.kind == .colon || token.kind == .period,
            let verse = self.number(at: place + 1)
        {
            place += 2
            return .both(first, verse)
        }
        skip(.comma)
        if marker(Self.verseMarkers), let verse = number(roman: false) { return .both(first, verse) }
        place = before
        if let verse = number(at: place), bookMatch(at: place) == nil {
            place += 1
            return .both(first, verse)
        }
        return isChapter ? .chapter(first) : .number(first)
    }

    private static let verseMarkers: Set<String> = ["v", "vv", "vs", "vss", "verse", "verses", "ver"]
    private static let chapterMarkers: Set<String> = ["ch", "chs", "chap", "chaps", "chapter", "chapters", "c"]

    /// Steps over a marker and its period if a number follows.
    private mutating func marker(_ markers: Set<String>) -> Bool {
        guard let word = token(place)?.word, markers.contains(word) else { return false }
        var next = place + 1
        if token(next)?.kind == .period { next += 1 }
        guard number(at: next) != nil || token(next)?.word?.romanNumber != nil else { return false }
        place = next
        return true
    }

    private func number(at index: Int) -> Int? {
        if case .number(let number) = token(index)?.kind { number } else { nil }
    }

    private mutating func number(roman: Bool) -> Int? {
        if let number = number(at: place) {
            place += 1
            return number
        }
        guard roman, let number = token(place)?.word?.romanNumber else { return nil }
        place += 1
        return number
    }

    // MARK: Books

    private static let fillers: Set<String> = [
        "a", "according", "apostle", "book", "cf", "chapter", "epistle", "epistles", "first", "general", "gospel",
        "letter",
        "of", "paul", "prophet", "saint", "see", "st", "the", "to",
    ]

    private static func isReserved(_ key: String) -> Bool {
        fillers.contains(key) || verseMarkers.contains(key) || chapterMarkers.contains(key)
    }

    private mutating func books() -> ReferencePhrase.Books? {
        for _ in 0..<8 {
            if let (books, next) = bookMatch(at: place) {
                place = next
                return books
            }
            guard let word = token(place)?.word, Self.fillers.contains(word), token(place + 1)?.word != nil else {
                break
            }
            // Only skip words before a name, never before a number.
            guard bookFollows(place + 1) else { break }
            place += 1
            if token(place)?.kind == .period { place += 1 }
        }
        return nil
    }

    private func bookFollows(_ index: Int) -> Bool {
        var index = index
        while let word = token(index)?.word {
            if bookMatch(at: index) != nil { return true }
            guard Self.fillers.contains(word) else { return false }
            index += 1
        }
        return false
    }

    private func bookMatch(at start: Int) -> (ReferencePhrase.Books, Int)? {
        var index = start
        var ordinal = ""
        if let (number, next) = self.ordinal(at: start) {
            ordinal = String(number)
            index = next
        }
        if let match = bookMatch(at: index, ordinal: ordinal) { return match }
        // `I` and `First` may belong to no ordinal.
        return ordinal.isEmpty || token(start)?.word == nil ? nil : bookMatch(at: start, ordinal: "")
    }

    private func ordinal(at start: Int) -> (Int, Int)? {
        var next = start + 1
        let number: Int
        if let digit = self.number(at: start), (1...4).contains(digit) {
            number = digit
            if let word = token(next)?.word, tokens[next].isGlued, ["st", "nd", "rd", "th"].contains(word) {
                next += 1
            }
        } else if let word = token(start)?.word, let value = word.bookOrdinal {
            number = value
        } else {
            return nil
        }
        if token(next)?.kind == .period { next += 1 }
        while let word = token(next)?.word, Self.fillers.contains(word) { next += 1 }
        return token(next)?.word == nil ? nil : (number, next)
    }

    private func bookMatch(at start: Int, ordinal: String) -> (ReferencePhrase.Books, Int)? {
        var keys: [(key: String, next: Int)] = []
        var key = ordinal
        var index = start
        while keys.count < 6, let word = token(index)?.word {
            key += word
            index += 1
            keys.append((key, index))
            if token(index)?.kind == .period, token(index + 1)?.word != nil { index += 1 }
        }
        for (key, next) in keys.reversed() {
            let exact = names.named(key)
            if !exact.isEmpty { return (ReferencePhrase.Books(candidates: exact), next) }
            // Two letters at least, and no word that has a meaning of its own, such as `ch` or `the`.
            guard key.utf8.count > 1, !Self.isReserved(key) else { continue }
            let books = names.beginning(with: key)
            if !books.isEmpty { return (ReferencePhrase.Books(candidates: books), next) }
        }
        for (key, next) in keys.reversed() where key.utf8.count > 1 {
            let books = allNames.named(key)
            if !books.isEmpty { return (ReferencePhrase.Books(candidates: books), next) }
        }
        for (key, next) in keys.reversed() {
            var behind = next
            if token(behind)?.kind == .period { behind += 1 }
            guard number(at: behind) != nil || (key.utf8.count > 4 && behind == tokens.count) else { continue }
            let books = names.similar(to: key)
            if !books.isEmpty { return (ReferencePhrase.Books(candidates: books, isGuess: true), next) }
        }
        return nil
    }

    private func token(_ index: Int) -> ReferenceToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    private mutating func skip(_ kinds: ReferenceToken.Kind...) {
        if let token = token(place), kinds.contains(token.kind) { place += 1 }
    }
}

extension ReferenceToken {
    fileprivate var word: String? { if case .word(let word) = kind { word } else { nil } }
}

extension String {
    /// The value of a Roman numeral in lower case from 1 to 199; `nil` if the text is none.
    fileprivate var romanNumber: Int? {
        guard !isEmpty, utf8.count <= 9 else { return nil }
        var sum = 0
        var last = 0
        for letter in utf8.reversed() {
            let value: Int
            switch letter {
            case UInt8(ascii: "i"): value = 1
            case UInt8(ascii: "v"): value = 5
            case UInt8(ascii: "x"): value = 10
            case UInt8(ascii: "l"): value = 50
            case UInt8(ascii: "c"): value = 100
            default: return nil
            }
            sum += value < last ? -value : value
            last = max(last, value)
        }
        return (1...199).contains(sum) ? sum : nil
    }
}
