import LecternTexts

/// Divides passages over days, so that each day has about the same number of verses.
enum PlanSchedule {
    /// Returns the units of each day, in their order.
    ///
    /// Chapters stay whole if there are at least as many of them as days. Each boundary between two days is then the one
    /// nearest to its ideal place, so a day differs from the average by at most the verses of the largest chapter.
    ///
    /// - Throws: ``PersonalDataError`` if there are fewer verses than days, or no days.
    static func days(_ units: [PlanUnit], over count: Int) throws(PersonalDataError) -> [[PlanUnit]] {
        guard count >= 1 else { throw PersonalDataError(.invalid, "A plan needs at least one day.") }
        let units = units.count >= count ? units : units.flatMap(\.single)
        guard units.count >= count else {
            throw PersonalDataError(
                .invalid, "The passages have \(units.count) verses, fewer than the \(count) days. Choose fewer days.")
        }
        let total = units.verseCount
        var days: [[PlanUnit]] = []
        var (next, read) = (0, 0)
        for day in 1...count {
            let start = next
            let target = Double(total) * Double(day) / Double(count)
            // Each day has a unit, and leaves one for each of the days to come.
            let latest = units.count - (count - day)
            while next < latest {
                let size = units[next].verses.count
                if next > start, abs(Double(read) - target) <= abs(Double(read + size) - target) { break }
                read += size
                next += 1
            }
            days.append(Array(units[start..<next]))
        }
        return days
    }
}
