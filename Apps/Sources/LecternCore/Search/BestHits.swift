import Foundation
import GRDB

/// Orders verses by BM25: rare words count more than frequent ones, and short verses more than long ones.
struct BestHits {
    private static let saturation: Float = 1.2
    private static let lengthWeight: Float = 0.75

    let index: WordIndex
    let terms: [SearchTerm]

    /// Returns the best verses of a set, the best first. Verses of equal rank are in the order of the text.
    func first(_ count: Int, of found: VerseSet) throws -> [Int] {
        guard count > 0 else { return [] }
        let scores = try scores(of: found)
        let ordinals = found.verses(from: 0, limit: found.count)
        func precedes(_ one: Int, _ other: Int) -> Bool {
            scores[one] == scores[other] ? one < other : scores[one] > scores[other]
        }
        guard ordinals.count > count else { return ordinals.sorted(by: precedes) }
        // Keeps the best so far, and sorts them whenever twice as many have come together.
        var best: [Int] = []
        best.reserveCapacity(2 * count)
        var worst: Int?
        for ordinal in ordinals {
            if let worst, !precedes(ordinal, worst) { continue }
            best.append(ordinal)
            if best.count == 2 * count {
                best.sort(by: precedes)
                best.removeLast(count)
                worst = best.last
            }
        }
        return Array(best.sorted(by: precedes).prefix(count))
    }

    private func scores(of found: VerseSet) throws -> [Float] {
        let text = index.text
        let lengths =
            try Data.fetchOne(
                index.db, sql: "SELECT lengths FROM verseLengths WHERE text = ?", arguments: [text.version.rawValue])
            ?? Data()
        let average = max(1, Float(text.wordCount) / Float(max(1, text.verseCount)))
        var scores = [Float](repeating: 0, count: text.verseCount)
        for term in terms {
            let matching = Float(try index.verses(with: term).count)
            let rarity = log(1 + (Float(text.verseCount) - matching + 0.5) / (matching + 0.5))
            var (current, frequency) = (-1, Float(0))
            func finish() {
                guard found.contains(current) else { return }
                let length = current < lengths.count ? Float(lengths[lengths.startIndex + current]) : average
                let norm = Self.saturation * (1 - Self.lengthWeight + Self.lengthWeight * length / average)
                scores[current] += rarity * frequency * (Self.saturation + 1) / (frequency + norm)
            }
            try index.forEachOccurrence(of: term) { verse in
                if verse == current {
                    frequency += 1
                } else {
                    finish()
                    (current, frequency) = (verse, 1)
                }
            }
            finish()
        }
        return scores
    }
}
