/// Finds the names that somebody probably meant, for errors that say what to write instead.
package struct NearestNames: Sendable {
    private let names: [String]

    /// Creates a finder over the names that exist. Their order decides between equally near ones.
    package init(_ names: some Sequence<String>) {
        self.names = Array(names)
    }

    /// Finds the names nearest to a word.
    ///
    /// Upper and lower case are the same here. Near is a name within a third of the word's letters (at least 1, at
    /// most 4 edits), one that begins with the word, and one (of two letters
    /// or more) with which the word begins.
    ///
    /// - Parameters:
    ///   - word: What was written.
    ///   - count: How many names to give at most. Default 3.
    /// - Returns: The names, nearest first; empty when none is near.
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

    /// A sentence that offers the nearest names, or all of them when there are at most eight; empty when there is
    /// nothing to offer. Begins with a space, to stand behind another sentence.
    package func hint(for word: String) -> String {
        let near = nearest(to: word)
        if !near.isEmpty { return " Did you mean \(near.joined(separator: ", "))?" }
        guard !names.isEmpty, names.count <= 8 else { return "" }
        return " There is \(names.joined(separator: ", "))."
    }

    /// How many letters must be inserted, deleted, replaced or swapped with their neighbour to make one word the
    /// other, no letter being touched twice: the restricted Damerau–Levenshtein distance.
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
