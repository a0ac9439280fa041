import Foundation
import GRDB
import HablareData
import HablarePersistence
import Testing

@testable import LecternCore

@Suite("Undo and redo of the person's data")
struct UndoTests {
    @Test(
        "Each undo leads to the state before its change, and each redo to the one after it, also after restarts",
        arguments: 1...12 as ClosedRange<UInt64>)
    func randomHistory(_ seed: UInt64) async throws {
        let desk = try Desk()
        var data = try await desk.open()
        var random = RandomMarks(seed: seed, desk: desk)
        var states = [try desk.rows()]
        for _ in 0..<60 {
            if try await random.perform(on: data) { states.append(try desk.rows()) }
            if Int.random(in: 0..<10, using: &random.numbers) == 0 { data = try await desk.open() }
        }
        #expect(states.count > 20, "seed \(seed)")
        #expect(data.depths.undo == states.count - 1)
        var place = states.count - 1
        for _ in 0..<150 {
            if Int.random(in: 0..<10, using: &random.numbers) == 0 { data = try await desk.open() }
            let isUndo = Int.random(in: 0..<3, using: &random.numbers) > 0
            if isUndo, place > 0 {
                #expect(try await data.undo(command: desk.id).isComplete)
                place -= 1
            } else if !isUndo, place < states.count - 1 {
                #expect(try await data.redo(command: desk.id).isComplete)
                place += 1
            }
            #expect(try desk.rows() == states[place], "seed \(seed)")
        }
    }

    @Test("A repeated command is one act, also after a restart, and a different one under its id is refused")
    func commandsOnce() async throws {
        let desk = try Desk()
        var data = try await desk.open()
        let mark = desk.id
        let add = desk.command(.addNote(mark: mark, place: nil, text: "one"))
        #expect(try await data.perform(add) == .changed)
        #expect(try await data.perform(add) == .repeated)
        let undo = desk.id
        #expect(try await data.undo(command: undo).name == "note")
        data = try await desk.open()
        #expect(try await data.undo(command: undo).command == nil)
        #expect(try await data.perform(add) == .repeated)
        #expect(try await desk.mark(mark) == nil)
        #expect(data.depths.redo == 1)
        var other = add
        other.change = .addNote(mark: mark, place: nil, text: "two")
        await #expect(throws: PersonalDataError.self) { try await data.perform(other) }
        #expect(try await data.redo(command: desk.id).command == add.id)
        #expect(try await desk.mark(mark)?.text == "one")
        let error = await #expect(throws: PersonalDataError.self) { try await data.redo(command: desk.id) }
        #expect(error?.code == .nothingToRedo)
    }

    @Test("An undo leaves a row alone that an import has changed since, and says so")
    func undoAfterAnImport() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let mark = desk.id
        try await data.perform(desk.command(.addBookmark(mark: mark, place: .verse("John.3"), label: "", colour: nil)))
        let (red, blue) = (MarkColour.red, MarkColour.blue)
        try await data.perform(desk.command(.setColour(mark: mark, colour: red, seen: nil)))
        try await desk.database.write { db in
            try db.execute(sql: "UPDATE mark SET colour = 'blue', revision = 9")
        }
        #expect(try await data.undo(command: desk.id).isComplete == false)
        #expect(try await desk.mark(mark)?.colour == blue)
        #expect(data.depths.undo == 1)
    }

    @Test("After another object has opened the data, the first one changes nothing and says why")
    func takenOver() async throws {
        let desk = try Desk()
        let old = try await desk.open()
        let new = try await desk.open()
        let command = desk.command(.addNote(mark: desk.id, place: nil, text: "kept by the caller"))
        let error = await #expect(throws: PersonalDataError.self) { try await old.perform(command) }
        #expect(error?.code == .takenOver)
        #expect(try await new.perform(command) == .changed)
    }
}
