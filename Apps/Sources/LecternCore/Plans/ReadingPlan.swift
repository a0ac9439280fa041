public import Foundation
public import LecternTexts

/// A reading plan: which passages on which day, and what was read. A pure machine: it gets the day as a parameter.
public struct ReadingPlan: Hashable, Sendable, Identifiable {
    /// The passages of one day.
    public struct Portion: Hashable, Sendable {
        /// The number, permanent within the plan.
        public let number: Int
        /// The day for which it is planned.
        public var day: CalendarDay
        /// The passages.
        public let references: [Reference]
        /// The number of verses.
        public let verses: Int
    }

    /// When a portion was read.
    public struct Done: Hashable, Sendable, Codable {
        /// The moment.
        public let madeAt: Moment
        /// The calendar of the person at that time, in seconds east of UTC.
        public let offset: Int

        /// Creates a record.
        public init(madeAt: Moment, offset: Int) {
            self.madeAt = madeAt
            // Zones reach from -12 to +14 hours.
            self.offset = min(max(offset, -18 * 3600), 18 * 3600)
        }

        /// The local day.
        public var day: CalendarDay { CalendarDay(madeAt, offset: offset) }
    }

    /// The progress of a plan.
    public struct Progress: Hashable, Sendable {
        /// The portions that were read, and all of them.
        public let portions: (done: Int, all: Int)
        /// The verses that were read, and all of them.
        public let verses: (done: Int, all: Int)

        /// Returns whether two values are the same.
        public static func == (one: Progress, other: Progress) -> Bool {
            one.portions == other.portions && one.verses == other.verses
        }

        /// Hashes the numbers.
        public func hash(into hasher: inout Hasher) {
            hasher.combine([portions.done, portions.all, verses.done, verses.all])
        }
    }

    /// The permanent id.
    public let id: UUID
    /// The name.
    public var name: String
    /// The passages and the number of days that were asked for.
    public let template: PlanTemplate
    /// The id of the text whose verses were counted.
    public let text: String
    /// The portions, in the order of reading.
    public internal(set) var portions: [Portion]
    /// The portions that were read, by number.
    public internal(set) var done: [Int: Done]

    init(
        id: UUID, name: String, template: PlanTemplate, text: String, portions: [Portion], done: [Int: Done] = [:]
    ) {
        self.id = id
        self.name = name
        self.template = template
        self.text = text
        self.portions = portions
        self.done = done
    }

    /// Creates a plan.
    ///
    /// - Throws: ``PersonalDataError`` with the code `invalid`.
    public init(
        id: UUID, name: String, template: PlanTemplate, textID: String, in text: PlanText, start: CalendarDay
    ) throws(PersonalDataError) {
        let days = try template.schedule(in: text)
        self.init(
            id: id, name: name, template: template, text: textID,
            portions: days.enumerated().map { index, units in
                Portion(
                    number: index + 1, day: start.adding(index), references: units.references,
                    verses: units.verseCount)
            })
    }

    // MARK: Reading

    /// The last planned day.
    public var end: CalendarDay? { portions.last?.day }

    /// Returns the portions planned for a day, read or not.
    public func portions(on day: CalendarDay) -> [Portion] { portions.filter { $0.day == day } }

    /// Returns the portions of earlier days that were not read, the oldest first.
    public func overdue(on day: CalendarDay) -> [Portion] {
        portions.filter { $0.day < day && done[$0.number] == nil }
    }

    /// Returns the passages to read on a day: those planned for it that were not read.
    public func reading(on day: CalendarDay) -> [Reference] {
        portions(on: day).filter { done[$0.number] == nil }.flatMap(\.references)
    }

    /// The progress.
    public var progress: Progress {
        let read = portions.filter { done[$0.number] != nil }
        return Progress(
            portions: (read.count, portions.count),
            verses: (read.reduce(0) { $0 + $1.verses }, portions.reduce(0) { $0 + $1.verses }))
    }

    /// Whether everything was read.
    public var isComplete: Bool { portions.allSatisfy { done[$0.number] != nil } }

    /// Returns the number of days in a row on which something was read.
    public func streak(on day: CalendarDay) -> Int { ReadingStreak(Array(done.values)).length(on: day) }

    // MARK: Events

    /// A portion was read, or was marked by mistake.
    ///
    /// - Parameter record: When it was read; `nil` to remove the mark. An earlier record stays.
    /// - Returns: Whether this changes the plan.
    public mutating func portionRead(_ number: Int, _ record: Done?) -> Bool {
        guard portions.contains(where: { $0.number == number }), (done[number] == nil) != (record == nil) else {
            return false
        }
        done[number] = record
        return true
    }

    /// The person asked to catch up: the first portion that was not read moves to a day, and the others follow day by
    /// day. The plan ends later.
    public mutating func caughtUp(on day: CalendarDay) {
        guard !overdue(on: day).isEmpty else { return }
        var next = day
        // Two portions of one day stay on one day.
        var last: CalendarDay?
        for index in portions.indices where done[portions[index].number] == nil {
            let planned = portions[index].day
            if let last, last != planned { next = next.adding(1) }
            last = planned
            portions[index].day = next
        }
    }

    /// The person asked to recalibrate: what was not read is divided anew over the days that are left, and the plan ends
    /// on the day on which it was to end. After that day, one day is left.
    ///
    /// - Parameter text: The text, for the numbers of verses. A passage that it lacks stays as a portion of its own.
    /// - Throws: ``PersonalDataError`` with the code `invalid`. The plan is unchanged then.
    public mutating func recalibrated(on day: CalendarDay, in text: PlanText) throws(PersonalDataError) {
        let open = portions.filter { done[$0.number] == nil }
        guard let end, !open.isEmpty else { return }
        let units = open.flatMap(\.references).flatMap { text.units(of: $0) }
        let lost = open.flatMap(\.references).filter { text.units(of: $0).isEmpty }
        guard lost.isEmpty else {
            throw PersonalDataError(
                .invalid,
                "The text no longer has \(lost.prefix(5).map { OSISText.text(of: $0) }.joined(separator: ", ")). Import it again, or begin a new plan."
            )
        }
        // Near the end there can be more days than verses.
        let count = min(max(1, end.rawValue - day.rawValue + 1), units.verseCount)
        let first = (portions.map(\.number).max() ?? 0) + 1
        let days = try PlanSchedule.days(units, over: count)
        portions.removeAll { done[$0.number] == nil }
        portions += days.enumerated().map { index, units in
            Portion(
                number: first + index, day: day.adding(index), references: units.references, verses: units.verseCount)
        }
    }
}
