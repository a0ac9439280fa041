import Foundation
import HablareTestKit
import Testing

@testable import LecternCore

@Suite("Streaks and calendar days")
struct StreakTests {
    private let today = CalendarDay(rawValue: 20_454)

    private func reading(_ day: Int, hour: Int = 12, zone: Int = 0) -> ReadingPlan.Done {
        let local = Int64(today.rawValue + day) * 86_400 + Int64(hour) * 3600
        return ReadingPlan.Done(madeAt: Moment(rawValue: (local - Int64(zone) * 3600) * 1000), offset: zone * 3600)
    }

    private func streak(_ readings: [ReadingPlan.Done], on day: Int = 0) -> Int {
        ReadingStreak(readings).length(on: today.adding(day))
    }

    @Test("A streak counts days in a row that end today or yesterday")
    func rows() {
        #expect(streak([]) == 0)
        #expect(streak([reading(0)]) == 1)
        #expect(streak([reading(0), reading(0, hour: 20), reading(-1), reading(-2), reading(-4)]) == 3)
        #expect(streak([reading(-1), reading(-2)]) == 2)
        #expect(streak([reading(-2), reading(-3)]) == 0)
        // Late on one day and early on the next but one is a missed day, although only 31 hours apart.
        #expect(streak([reading(0, hour: 6), reading(-2, hour: 23)]) == 1)
    }

    @Test("A flight to the east that skips a day of the calendar does not break a streak")
    func east() {
        // Leaves Los Angeles in the night of day -2, and arrives in Tokyo on day 0.
        #expect(streak([reading(0, hour: 5, zone: 9), reading(-2, hour: 22, zone: -8), reading(-3, zone: -8)]) == 3)
        // The same calendar days without a flight.
        #expect(streak([reading(0, hour: 5, zone: 9), reading(-2, hour: 22, zone: 9), reading(-3, zone: 9)]) == 1)
    }

    @Test("A flight to the west that repeats a day does not break a streak")
    func west() {
        let readings = [
            reading(-2, zone: 9), reading(-1, hour: 9, zone: 9), reading(-1, hour: 9, zone: -8), reading(0, zone: -8),
        ]
        #expect(streak(readings) == 3)
        // Seen from the west in the evening, the reading of the morning in the east is tomorrow's.
        #expect(streak([reading(1, zone: 9), reading(0, zone: 9)]) == 2)
    }

    @Test("A clock that is set back does not break a streak, and a wrong clock of the past does not hide one")
    func clock() {
        let streakOfFive = (-4...0).map { reading($0) }
        #expect(streak(streakOfFive, on: -10) == 5)
        #expect(streak(streakOfFive + [reading(4000)]) == 5)
        #expect(streak(streakOfFive + [reading(-4000)]) == 5)
    }

    @Test("Days agree with Foundation's calendar, also in leap years and before 1970")
    func days() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var numbers = SeededGenerator(seed: 1)
        for number in (0..<2000).map({ _ in Int.random(in: -130_000...900_000, using: &numbers) }) + [11_016, -1, 0] {
            let day = CalendarDay(rawValue: number)
            let date = Date(timeIntervalSince1970: Double(number) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            #expect(
                [day.parts.year, day.parts.month, day.parts.day]
                    == [parts.year, parts.month, parts.day].compactMap { $0 })
            #expect(CalendarDay(year: day.parts.year, month: day.parts.month, day: day.parts.day) == day)
            let offset = Int.random(in: -50_000...50_000, using: &numbers)
            let moment = Moment(date).adding(seconds: Int64.random(in: 0..<86_400, using: &numbers))
            let shifted = (moment.date.timeIntervalSince1970 + Double(offset)) / 86_400
            #expect(CalendarDay(moment, offset: offset).rawValue == Int(shifted.rounded(.down)))
        }
        #expect(CalendarDay(year: 2026, month: 2, day: 29) == nil)
        #expect(CalendarDay(year: 2024, month: 2, day: 29)?.description == "2024-02-29")
        #expect(CalendarDay(rawValue: .max).parts.year == 9999)
    }

    @Test("Moments beyond the calendar are limited, and never trap")
    func extremes() {
        for value in [Int64.min, .max, 0] {
            let moment = Moment(rawValue: value)
            #expect(Moment(moment.date) == moment)
            _ = moment.adding(seconds: .max).adding(seconds: .min)
            _ = ReadingPlan.Done(madeAt: moment, offset: .max).day
        }
        _ = Moment(Date(timeIntervalSince1970: .infinity))
        _ = Moment(Date(timeIntervalSince1970: .nan))
    }
}
