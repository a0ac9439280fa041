/// Days in a row on which something was read, by the calendar on the person's wall.
///
/// A change of the time zone or a clock that is set back does not break a streak:
/// - Two readings follow one another if the calendar of either of the two places says so. A flight to the east can skip
///   a day of the calendar, and one to the west can repeat it.
/// - A streak that ends today or yesterday counts. So does one that seems to end tomorrow or later, after the clock was
///   set back. One reading on a day far in the future, made with a wrong clock, does not hide the real streak.
struct ReadingStreak {
    private let readings: [ReadingPlan.Done]

    init(_ readings: [ReadingPlan.Done]) { self.readings = readings }

    /// Returns the length of the streak, as seen on a day.
    func length(on today: CalendarDay) -> Int {
        max(run(of: readings.filter { $0.day <= today.adding(1) }, today), run(of: readings, today))
    }

    /// Returns the length of the last run, unless it has ended before yesterday.
    private func run(of readings: [ReadingPlan.Done], _ today: CalendarDay) -> Int {
        // The first and the last reading of each day decide how it joins its neighbours.
        let days = Dictionary(grouping: readings, by: \.day).sorted { $0.key > $1.key }.map { day, readings in
            let sorted = readings.sorted { $0.madeAt < $1.madeAt }
            return (day: day, first: sorted[0], last: sorted[sorted.count - 1])
        }
        guard let newest = days.first, newest.day >= today.adding(-1) else { return 0 }
        var length = 1
        for (later, earlier) in zip(days, days.dropFirst()) {
            guard Self.follow(earlier.last, later.first, earlier.day, later.day) else { break }
            length += 1
        }
        return length
    }

    private static func follow(
        _ earlier: ReadingPlan.Done, _ later: ReadingPlan.Done, _ day: CalendarDay, _ next: CalendarDay
    ) -> Bool {
        if next == day.adding(1) { return true }
        // By the calendar of the first place, and by that of the second.
        let there = CalendarDay(later.madeAt, offset: earlier.offset)
        let here = CalendarDay(earlier.madeAt, offset: later.offset)
        return next == day.adding(2) && earlier.madeAt <= later.madeAt
            && (there <= day.adding(1) || here >= next.adding(-1))
    }
}
