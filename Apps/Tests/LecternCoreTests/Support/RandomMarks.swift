import Foundation
import HablareTestKit
import LecternTexts

@testable import LecternCore

/// Makes commands about marks and plans at random, from a seed.
struct RandomMarks {
    var numbers: SeededGenerator
    let desk: Desk
    private var marks: [(id: UUID, kind: Mark.Kind)] = []
    private var folders: [UUID] = []
    private var plans: [UUID] = []

    init(seed: UInt64, desk: Desk) {
        numbers = SeededGenerator(seed: seed)
        self.desk = desk
    }

    static let texts = [
        "", "plain", "# Title\n\n*a* & \"b\" \\ c\r\n\ttab", "👨‍👩‍👧‍👦👍🏽", "\u{202E}left to right\u{202C}",
        "a\u{2028}b\u{7F}\u{1}",
        "שָׁלוֹם", "e\u{301} é", String(repeating: "long ", count: 2000), "line\nline\n",
    ]
    static let places = [
        "John.3.16", "John.3.16-John.3.18", "John.3", "John", "Ps.119.1-Ps.120.2", "1Sam.1.1", "Gen.1-Gen.3",
    ]

    mutating func text() -> String { Self.texts.randomElement(using: &numbers) ?? "" }

    mutating func place() throws -> MarkPlace {
        var place = try MarkPlace.verse(Self.places.randomElement(using: &numbers) ?? "John")
        if Bool.random(using: &numbers) { place.space = .text("kjv") }
        if case .text = place.space, place.reference.places?.lowerBound.verse != nil, Bool.random(using: &numbers) {
            let start = Int.random(in: 0...20, using: &numbers)
            place.words = MarkPlace.Words(start: start, end: start + Int.random(in: 1...20, using: &numbers))
        }
        return place
    }

    /// Performs a random change. Returns whether it changed something.
    mutating func perform(on data: PersonalData) async throws -> Bool {
        desk.advance(Int64.random(in: 1...5000, using: &numbers))
        let roll = Int.random(in: 0..<20, using: &numbers)
        if roll >= 17 { return try await performPlan(on: data) == .changed }
        let known = marks.randomElement(using: &numbers)
        let id = desk.id
        let change: MarkCommand.Change
        switch (roll, known) {
        case (0...1, _):
            change = .addBookmark(
                mark: id, place: try place(), label: text().prefix(200).description,
                colour: MarkColour.allCases.randomElement(using: &numbers))
            marks.append((id, .bookmark))
        case (2...3, _):
            change = .addHighlight(mark: id, place: try place(), colour: .blue, style: .underline)
            marks.append((id, .highlight))
        case (4...5, _), (_, nil):
            let place = Bool.random(using: &numbers) ? try place() : nil
            change = .addNote(mark: id, place: place, text: text())
            marks.append((id, .note))
        case (6, _):
            change = .addFolder(folder: id, name: "Folder \(folders.count)")
            folders.append(id)
        case (7...10, let mark?):
            let note = marks.filter { $0.kind == .note }.randomElement(using: &numbers)?.id ?? mark.id
            let current = try await desk.mark(note)?.version?.id
            change = .saveNote(mark: note, text: text(), base: Bool.random(using: &numbers) ? current : nil)
        case (11, let mark?):
            change = .setColour(
                mark: mark.id, colour: MarkColour.allCases.randomElement(using: &numbers) ?? .red, seen: nil)
        case (12, let mark?):
            change = .setFolder(mark: mark.id, folder: folders.randomElement(using: &numbers), seen: nil)
        case (13, let mark?): change = .addTag(mark: mark.id, tag: "tag \(Int.random(in: 0...4, using: &numbers))")
        case (14, let mark?): change = .removeTag(mark: mark.id, tag: "tag \(Int.random(in: 0...4, using: &numbers))")
        case (15, let mark?): change = .setPlace(mark: mark.id, place: try place(), seen: nil)
        case (_, let mark?): change = .remove(mark: mark.id)
        }
        do {
            switch try await data.perform(desk.command(change)) {
            case .changed, .conflict: return true
            case .unchanged, .superseded, .repeated: return false
            }
        } catch let error as PersonalDataError where error.code == .gone || error.code == .invalid {
            return false
        }
    }

    private mutating func performPlan(on data: PersonalData) async throws -> MarkOutcome {
        let known = plans.randomElement(using: &numbers)
        let id = desk.id
        let change: PlanCommand.Change
        switch (Int.random(in: 0..<8, using: &numbers), known) {
        case (0, _), (_, nil):
            change = .begin(
                plan: id, name: "Plan", template: .gospels, text: "kjv", start: CalendarDay(desk.now, offset: 0))
            plans.append(id)
        case (1, let plan?): change = .catchUp(plan: plan)
        case (2, let plan?): change = .recalibrate(plan: plan)
        case (3, let plan?): change = .rename(plan: plan, name: "Plan \(Int.random(in: 0...9, using: &numbers))")
        case (_, let plan?):
            change = .setDone(
                plan: plan, portion: Int.random(in: 1...10, using: &numbers), isDone: Bool.random(using: &numbers))
        }
        let later = desk.now.adding(seconds: 86_400 * 3)
        return try await data.perform(
            PlanCommand(id: desk.id, madeAt: Moment(rawValue: later.rawValue), offset: 0, change), in: .sample)
    }
}

extension PlanText {
    /// A small text with the books of the templates, whose chapters have very different lengths.
    static let sample: PlanText = {
        let sizes = [("Ps", 150), ("Prov", 31), ("Matt", 28), ("Mark", 16), ("Luke", 24), ("John", 21), ("Jude", 1)]
        var numbers = SeededGenerator(seed: 7)
        return PlanText(
            sizes.flatMap { book, count in
                (1...count).map { number in
                    let verses = number == 119 ? 176 : Int.random(in: 2...60, using: &numbers)
                    return Chapter(ChapterID(BookID(rawValue: book), number), verses: Array(1...verses))
                }
            })
    }()
}
