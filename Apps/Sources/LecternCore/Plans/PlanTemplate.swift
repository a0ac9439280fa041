import LecternTexts

/// The passages of a plan, and its number of days.
public enum PlanTemplate: Hashable, Sendable, Codable {
    /// The whole text in 365 days.
    case oneYear
    /// The New Testament in 90 days.
    case newTestament
    /// Psalms and Proverbs in 30 days, some of each on every day.
    case psalmsAndProverbs
    /// The four Gospels in 40 days.
    case gospels
    /// Passages of one's own, as OSIS ids, in their order.
    case own(passages: [String], days: Int)

    /// The number of days.
    public var days: Int {
        switch self {
        case .oneYear: 365
        case .newTestament: 90
        case .psalmsAndProverbs: 30
        case .gospels: 40
        case .own(_, let days): days
        }
    }

    /// The most days of a plan: ten years.
    public static let mostDays = 3660

    /// Returns the passages of each day.
    ///
    /// - Throws: ``PersonalDataError`` with the code `invalid` if the text lacks the passages, or has fewer verses than
    ///   days.
    func schedule(in text: PlanText) throws(PersonalDataError) -> [[PlanUnit]] {
        guard (1...Self.mostDays).contains(days) else {
            throw PersonalDataError(.invalid, "A plan has 1 to \(Self.mostDays) days. Choose another number.")
        }
        var schedule = Array(repeating: [PlanUnit](), count: days)
        var isEmpty = true
        for track in try tracks(in: text) where !track.isEmpty {
            isEmpty = false
            for (day, units) in try PlanSchedule.days(track, over: days).enumerated() { schedule[day] += units }
        }
        guard !isEmpty else {
            throw PersonalDataError(.invalid, "The text has none of the passages of this plan. Choose another text.")
        }
        return schedule
    }

    /// The passages that are read side by side.
    private func tracks(in text: PlanText) throws(PersonalDataError) -> [[PlanUnit]] {
        switch self {
        case .oneYear: return [text.chapters.map { PlanUnit($0) }]
        case .newTestament: return [Self.units(of: Self.newTestamentBooks, in: text)]
        case .psalmsAndProverbs: return [Self.units(of: ["Ps"], in: text), Self.units(of: ["Prov"], in: text)]
        case .gospels: return [Self.units(of: ["Matt", "Mark", "Luke", "John"], in: text)]
        case .own(let passages, _):
            var (units, unknown): ([PlanUnit], [String]) = ([], [])
            for passage in passages {
                let found = OSISText.reference(passage).map { text.units(of: $0) } ?? []
                if found.isEmpty { unknown.append(passage) }
                units += found
            }
            guard unknown.isEmpty else {
                throw PersonalDataError(
                    .invalid,
                    "The text does not have \(unknown.prefix(5).joined(separator: ", ")). Correct these passages, or choose another text."
                )
            }
            return [units]
        }
    }

    private static func units(of books: [String], in text: PlanText) -> [PlanUnit] {
        books.flatMap { text.units(of: Reference(BookID(rawValue: $0))) }
    }

    private static let newTestamentBooks = [
        "Matt", "Mark", "Luke", "John", "Acts", "Rom", "1Cor", "2Cor", "Gal", "Eph", "Phil", "Col", "1Thess", "2Thess",
        "1Tim", "2Tim", "Titus", "Phlm", "Heb", "Jas", "1Pet", "2Pet", "1John", "2John", "3John", "Jude", "Rev",
    ]
}
