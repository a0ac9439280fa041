import Foundation
import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Reading plans")
struct PlanTests {
    private static let start = CalendarDay(rawValue: 20_454)

    private func plan(_ template: PlanTemplate) throws -> ReadingPlan {
        try ReadingPlan(
            id: UUID(), name: "Plan", template: template, textID: "kjv", in: .sample, start: Self.start)
    }

    private func done(_ day: CalendarDay, hour: Int64 = 12) -> ReadingPlan.Done {
        ReadingPlan.Done(madeAt: Moment(rawValue: Int64(day.rawValue) * 86_400_000 + hour * 3_600_000), offset: 0)
    }

    /// The verses of passages, in order.
    private func verses(_ references: [Reference]) -> [VerseID] {
        references.flatMap { PlanText.sample.units(of: $0) }.flatMap { unit in
            unit.verses.map { VerseID(unit.chapter, $0) }
        }
    }

    @Test(
        "A schedule reads everything once, in order, every day, and is balanced to within one chapter",
        arguments: 1...40 as ClosedRange<UInt64>)
    func balance(_ seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let chapters = (1...Int.random(in: 1...200, using: &numbers)).map { number in
            PlanText.Chapter(
                ChapterID(BookID(rawValue: "Gen"), number),
                verses: Array(1...Int.random(in: 1...176, using: &numbers)))
        }
        let units = chapters.map { PlanUnit($0) }
        let days = Int.random(in: 1...min(400, units.verseCount), using: &numbers)
        let schedule = try PlanSchedule.days(units, over: days)
        #expect(schedule.count == days)
        let read = schedule.flatMap { $0 }.flatMap { unit in unit.verses.map { VerseID(unit.chapter, $0) } }
        #expect(read == units.flatMap { unit in unit.verses.map { VerseID(unit.chapter, $0) } })
        let average = Double(units.verseCount) / Double(days)
        let largest = days > units.count ? 1 : units.map(\.verses.count).max() ?? 0
        for day in schedule {
            #expect(!day.isEmpty)
            // Where there are hardly more chapters than days, each day must have one, whatever its length.
            guard units.count >= 4 * days || days > units.count else { continue }
            #expect(abs(Double(day.verseCount) - average) <= Double(largest) + 1, "seed \(seed)")
        }
        // What a page shows of a day is what the day reads.
        let text = PlanText(chapters)
        for day in schedule {
            #expect(day.references.flatMap { text.units(of: $0) }.verseCount == day.verseCount)
        }
    }

    @Test("Templates have their days and read their books")
    func templates() throws {
        let psalms = try plan(.psalmsAndProverbs)
        #expect(psalms.portions.count == 30 && psalms.end == Self.start.adding(29))
        #expect(psalms.portions.allSatisfy { Set($0.references.map(\.book.rawValue)) == ["Ps", "Prov"] })
        #expect(verses(psalms.portions.flatMap(\.references)).count == psalms.progress.verses.all)
        let gospels = try plan(.gospels)
        #expect(gospels.portions.count == 40)
        #expect(
            verses(gospels.portions.flatMap(\.references)).map(\.book.rawValue).reduce(into: [String]()) {
                if $0.last != $1 { $0.append($1) }
            } == ["Matt", "Mark", "Luke", "John"])
        #expect(try plan(.newTestament).portions.count == 90)
        let year = try plan(.oneYear)
        #expect(year.portions.count == 365)
        #expect(
            verses(year.portions.flatMap(\.references)) == verses(PlanText.sample.chapters.map { Reference($0.id) }))
        let own = try plan(.own(passages: ["John.3.16-John.4.2", "Ps.119"], days: 7))
        let first = try #require(verses(own.portions.flatMap(\.references)).first)
        #expect(own.portions.count == 7 && first.description == "John.3.16")
    }

    @Test("A plan that cannot be made says why")
    func invalid() {
        let cases: [PlanTemplate] = [
            .own(passages: [], days: 3), .own(passages: ["Rev.1"], days: 3), .own(passages: ["nonsense."], days: 3),
            .own(passages: ["Jude.1.1"], days: 2), .own(passages: ["John"], days: 0),
            .own(passages: ["John"], days: 100_000),
        ]
        for template in cases {
            let error = #expect(throws: PersonalDataError.self) { try plan(template) }
            #expect(error?.code == .invalid, "\(template)")
        }
    }

    @Test("Catching up begins again today, and the plan ends later")
    func catchUp() throws {
        var plan = try plan(.gospels)
        #expect(plan.portionRead(1, done(Self.start)) == true)
        #expect(plan.portionRead(1, done(Self.start)) == false)
        #expect(plan.portionRead(2, done(Self.start)) == true)
        let today = Self.start.adding(10)
        #expect(plan.overdue(on: today).map(\.number) == Array(3...10))
        #expect(plan.reading(on: today) == plan.portions[10].references)
        plan.caughtUp(on: today)
        #expect(plan.overdue(on: today).isEmpty)
        #expect(plan.portions(on: today).map(\.number) == [3])
        #expect(plan.end == today.adding(37) && plan.portions[0].day == Self.start)
        let before = plan
        plan.caughtUp(on: today)
        #expect(plan == before)
    }

    @Test("Recalibrating keeps the end, and nothing that was not read is lost", arguments: [1, 10, 39, 40, 100])
    func recalibrate(_ passed: Int) throws {
        var plan = try plan(.gospels)
        for number in [1, 2, 5] { #expect(plan.portionRead(number, done(Self.start)) == true) }
        let unread = verses(plan.portions.filter { plan.done[$0.number] == nil }.flatMap(\.references))
        let today = Self.start.adding(passed)
        try plan.recalibrated(on: today, in: .sample)
        #expect(verses(plan.portions.filter { plan.done[$0.number] == nil }.flatMap(\.references)) == unread)
        #expect(plan.end == max(today, Self.start.adding(39)))
        #expect(plan.overdue(on: today).isEmpty && !plan.reading(on: today).isEmpty)
        #expect(Set(plan.portions.map(\.number)).count == plan.portions.count)
        #expect(plan.progress.verses.all == verses(plan.portions.flatMap(\.references)).count)
    }

    @Test("Plans are stored, and days are marked once with the day of the person's calendar")
    func stored() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let id = desk.id
        let begin = PlanCommand(
            id: desk.id, madeAt: desk.now, offset: 3600,
            .begin(plan: id, name: "Mine", template: .gospels, text: "kjv", start: Self.start))
        let error = await #expect(throws: PersonalDataError.self) { try await data.perform(begin) }
        #expect(error?.code == .invalid)
        #expect(try await data.perform(begin, in: .sample) == .changed)
        let late = PlanCommand(
            id: desk.id, madeAt: desk.now.adding(seconds: -3600), offset: -5 * 3600,
            .setDone(plan: id, portion: 1, isDone: true))
        #expect(try await data.perform(late) == .changed)
        #expect(try await data.perform(late) == .repeated)
        let plans = try await desk.database.read { try PlanStore().plans(in: $0) }
        let expected = try ReadingPlan(
            id: id, name: "Mine", template: .gospels, textID: "kjv", in: .sample, start: Self.start)
        #expect(plans.map(\.portions) == [expected.portions])
        // 2025-12-31 18:00 in the person's zone.
        #expect(plans[0].done[1]?.day == CalendarDay(year: 2025, month: 12, day: 31))
        #expect(plans[0].progress.portions == (1, 40))
        let json = try JSONDecoder().decode(PlanCommand.self, from: JSONEncoder().encode(begin))
        #expect(json == begin)
    }
}
