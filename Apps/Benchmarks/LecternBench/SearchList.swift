import LecternCore

/// A search to measure, and the same search as an expression of FTS5.
struct MeasuredSearch {
    let query: SearchQuery
    /// `nil` where the search ranks, which is another measurement.
    let expression: String?

    /// The name in the figures.
    var name: String {
        let words = query.typed.split(separator: " ")
        let joined =
            switch query.matching {
            case .all: words.joined(separator: "+")
            case .any: words.joined(separator: "|")
            case .phrase: words.joined(separator: "-")
            }
        return (query.order == .best ? "best." : "") + joined + (query.completesLastWord ? "*" : "")
    }

    private init(_ typed: String, _ matching: SearchQuery.Matching, completes: Bool = false, _ order: SearchQuery.Order)
    {
        query = SearchQuery(typed, matching: matching, completesLastWord: completes, order: order)
        let words = typed.split(separator: " ").map { "\"\($0)\"" }
        let expression =
            switch matching {
            case .all: words.joined(separator: " ")
            case .any: words.joined(separator: " OR ")
            case .phrase: "\"\(typed)\""
            }
        self.expression = order == .best ? nil : expression + (completes ? " *" : "")
    }

    /// The searches: the most frequent words of a Bible, and words that a person looks for.
    static let all: [MeasuredSearch] = {
        let words = [
            "the", "and", "of", "lord", "god", "jesus", "love", "jerusalem", "shepherd", "selah", "leviathan",
            "nowhere", "the lord", "love god", "moses aaron", "faith hope charity",
        ]
        var all = words.map { MeasuredSearch($0, .all, .text) }
        all += ["the lord", "the and of", "peace mercy grace"].map { MeasuredSearch($0, .any, .text) }
        all += ["the lord", "in the beginning", "son of man", "of the lord"].map { MeasuredSearch($0, .phrase, .text) }
        all += ["th", "lo", "righteous"].map { MeasuredSearch($0, .all, completes: true, .text) }
        all.append(MeasuredSearch("the lord", .any, .best))
        return all
    }()
}
