/// Finds the books that a person may mean by a name.
struct BookNames {
    private var exact: [String: [BookID]] = [:]
    /// Names and their books, in the order of books.
    private var names: [(key: String, book: BookID)] = []
    /// Names of numbered books without the number.
    private var bases: [(key: String, book: BookID)] = []

    /// Collects the names that the catalogue and the texts give to books.
    init(_ books: [BookDescription], catalogue: BookCatalogue = .standard) {
        let fullNames = books.map { ($0.id, (catalogue[$0.id]?.name ?? $0.name).bookKey) }
        for book in books {
            var keys = [book.id.rawValue, book.name, book.abbreviation].map(\.bookKey)
            if let entry = catalogue[book.id] {
                keys += [entry.name.bookKey, entry.abbreviation.bookKey] + entry.aliases
                // JUD is Jude, but a person who types it may mean Judges.
                if let usfm = entry.usfm?.bookKey,
                    !fullNames.contains(where: { $0.0 != book.id && $0.1.hasPrefix(usfm) })
                {
                    keys.append(usfm)
                }
            }
            for key in Set(keys) where !key.isEmpty {
                exact[key, default: []].append(book.id)
                names.append((key, book.id))
                if let first = key.utf8.first, first.isASCIIDigit { bases.append((String(key.dropFirst()), book.id)) }
            }
        }
    }

    /// Returns the books with exactly this name.
    func named(_ key: String) -> [BookID] { exact[key] ?? [] }

    /// Returns the books whose names begin so; those with a number only if no other does.
    func beginning(with key: String) -> [BookID] {
        let found = unique(names.filter { $0.key.hasPrefix(key) })
        return found.isEmpty ? unique(bases.filter { $0.key.hasPrefix(key) }) : found
    }

    /// Returns the books whose names differ from a misspelt one by the fewest letters: one, or two of long names.
    func similar(to key: String) -> [BookID] {
        let found = similar(to: key, among: names)
        return found.isEmpty ? similar(to: key, among: bases) : found
    }

    private func similar(to key: String, among names: [(key: String, book: BookID)]) -> [BookID] {
        let letters = Array(key.utf8)
        guard (4...30).contains(letters.count) else { return [] }
        var least = letters.count < 6 ? 1 : 2
        var found: [(key: String, book: BookID)] = []
        for name in names where abs(name.key.utf8.count - letters.count) <= least && name.key.utf8.count > 3 {
            if let first = letters.first, first.isASCIIDigit, name.key.utf8.first != first { continue }
            let distance = Self.distance(letters, Array(name.key.utf8))
            if distance < least {
                least = distance
                found = []
            }
            if distance == least { found.append(name) }
        }
        return unique(found)
    }

    private func unique(_ found: [(key: String, book: BookID)]) -> [BookID] {
        var books: [BookID] = []
        for name in found where !books.contains(name.book) { books.append(name.book) }
        return books
    }

    /// Returns the number of letters to insert, delete, replace or swap.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var next = [row + 1]
            for column in other.indices {
                var best = min(
                    last[column + 1] + 1, next[column] + 1, last[column] + (one[row] == other[column] ? 0 : 1))
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            before = last
            last = next
        }
        return last[other.count]
    }
}
