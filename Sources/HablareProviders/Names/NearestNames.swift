/// A search for similar names, for errors that suggest a correction.
package struct NearestNames: Sendable {
    private let names: [String]

    /// Creates a search among existing names. If two names are equally near, the order of `names` decides.
    package init(_ names: some Sequence<String>) {
        self.names = Array(names)
    }

    /// Returns the existing names that are nearest to a word.
    ///
    /// Case is ignored. A name is near in three cases:
    ///
    /// - The edit distance between name and word is at most a third of the word's letters. This limit is at least 1 and
    ///   at most 4.
    /// - The name begins with the word.
    /// - The word begins with the name, and the name has at least two letters.
    ///
    /// - Parameters:
    ///   - word: The word to look for.
    ///   - count: The maximum number of names. Default: 3.
    /// - Returns: The names, nearest first; empty if none is near.
    package func nearest(to word: String, count: Int = 3) -> [String] {
        let wanted = word.lowercased()
        guard !wanted.isEmpty else { return [] }
        let reach = min(4, max(1, wanted.count / 3))
        let ranked = names.enumerated().compactMap { index, name -> (distance: Int, index: Int, name: String)? in
            let candidate = name.lowercased()
            let distance = Self.distance(wanted, candidate)
            let extends = candidate.hasPrefix(wanted) || (candidate.count > 1 && wanted.hasPrefix(candidate))
            guard distance <= reach || extends else { return nil }
            return (distance, index, name)
        }
        return ranked.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }.prefix(max(0, count)).map(\.name)
    }

    /// Returns a sentence that suggests the nearest names. If no name is near and there are at most eight names, the
    /// sentence lists all of them. Otherwise returns an empty text.
    ///
    /// The sentence begins with a space, so that you can append it to another sentence.
    package func hint(for word: String) -> String {
        let near = nearest(to: word)
        if !near.isEmpty { return " Did you mean \(near.joined(separator: ", "))?" }
        guard !names.isEmpty, names.count <= 8 else { return "" }
        return " There is \(names.joined(separator: ", "))."
    }

    /// Returns the restricted Damerau–Levenshtein distance between two words: the number of edits that turn one word
    /// into the other. An edit inserts, deletes or replaces a letter, or swaps two adjacent letters. No letter is
    /// edited twice.
    package static func distance(_ first: String, _ second: String) -> Int {
        let rows = Array(first)
        let columns = Array(second)
        guard !rows.isEmpty, !columns.isEmpty else { return max(rows.count, columns.count) }
        var beforeLast: [Int] = []
        var last = Array(0...columns.count)
        for row in rows.indices {
            var current = [row + 1]
            current.reserveCapacity(columns.count + 1)
            for column in columns.indices {
                let replaced = last[column] + (rows[row] == columns[column] ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, rows[row] == columns[column - 1], rows[row - 1] == columns[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[columns.count]
    }
}
