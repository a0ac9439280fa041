import Foundation
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Reminders as iCalendar")
struct PlanCalendarTests {
    private let start = CalendarDay(rawValue: 20_454)
    private let now = Moment(rawValue: 1_767_225_600_000)

    private func plan(_ name: String = "Plan") throws -> ReadingPlan {
        let id = try #require(UUID(uuidString: "0192F0C1-0000-7000-8000-000000000001"))
        return try ReadingPlan(
            id: id, name: name, template: .gospels, textID: "kjv", in: .sample, start: start)
    }

    /// The lines with folds taken back.
    private func lines(_ document: String) -> [String] {
        document.replacingOccurrences(of: "\r\n ", with: "").components(separatedBy: "\r\n").dropLast()
    }

    @Test("An event for each portion has what RFC 5545 asks for, and ids that stay")
    func portions() throws {
        var plan = try plan()
        #expect(plan.portionRead(1, ReadingPlan.Done(madeAt: now, offset: 0)) == true)
        let calendar = PlanCalendar(minute: 7 * 60 + 5, names: [BookID(rawValue: "Matt"): "Matthew"])
        let document = try #require(calendar.document(for: plan, from: start.adding(1), now: now))
        let lines = lines(document)
        #expect(lines.first == "BEGIN:VCALENDAR" && lines.last == "END:VCALENDAR")
        #expect(lines.contains("VERSION:2.0") && lines.contains { $0.hasPrefix("PRODID:") })
        #expect(lines.count { $0 == "BEGIN:VEVENT" } == 39 && lines.count { $0 == "BEGIN:VALARM" } == 39)
        #expect(lines.contains("DTSTART:20260102T070500") && lines.contains("DTSTAMP:20260101T000000Z"))
        let ids = lines.filter { $0.hasPrefix("UID:") }
        #expect(Set(ids).count == 39 && ids[0] == "UID:\(plan.id.key)-2@lectern.invalid")
        #expect(lines.contains { $0.hasPrefix("SUMMARY:Plan: Matthew ") })
        #expect(!document.replacingOccurrences(of: "\r\n", with: "").contains("\n"))
        plan.caughtUp(on: start.adding(20))
        let later = try #require(calendar.document(for: plan, from: start, now: now))
        #expect(self.lines(later).filter { $0.hasPrefix("UID:") } == ids)
    }

    @Test("A daily event repeats until the end of the plan, and a plan that is done has no reminder")
    func daily() throws {
        var plan = try plan()
        let calendar = PlanCalendar(style: .daily)
        let lines = lines(try #require(calendar.document(for: plan, from: start.adding(10), now: now)))
        #expect(lines.contains("RRULE:FREQ=DAILY;COUNT=30") && lines.count { $0 == "BEGIN:VEVENT" } == 1)
        for number in 1...40 { #expect(plan.portionRead(number, ReadingPlan.Done(madeAt: now, offset: 0)) == true) }
        #expect(calendar.document(for: plan, from: start, now: now) == nil)
    }

    @Test("Lines have at most 75 bytes, are divided between characters, and values are escaped")
    func folding() throws {
        let name = "Läsning; a, b\\c\r\nBEGIN:VEVENT \u{7}" + String(repeating: "👨‍👩‍👧‍👦é", count: 40)
        let document = try #require(PlanCalendar().document(for: try plan(name), from: start, now: now))
        for line in document.components(separatedBy: "\r\n") { #expect(line.utf8.count <= 75) }
        let lines = lines(document)
        #expect(lines.count { $0 == "BEGIN:VEVENT" } == 40)
        let expected = "Läsning\\; a\\, b\\\\c\\nBEGIN:VEVENT " + String(repeating: "👨‍👩‍👧‍👦é", count: 40)
        #expect(lines.contains("X-WR-CALNAME:" + expected))
        #expect(PlanCalendar.folded(String(repeating: "x", count: 76)) == String(repeating: "x", count: 75) + "\r\n x")
        #expect(PlanCalendar.folded(String(repeating: "x", count: 75)).utf8.count == 75)
    }
}
