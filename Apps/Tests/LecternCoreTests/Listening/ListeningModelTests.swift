import Foundation
import GRDB
import Hablare
import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@MainActor struct ListeningModelTests {
    private let john = BookID(rawValue: "John")

    private func source() -> ListeningSource {
        let john = john
        return ListeningSource(text: "kjv") { id in
            NarrationBench.chapter(id.chapter, "Verse one of \(id).", "Verse two.", "Verse three.")
        } next: {
            $0.chapter < 4 ? ChapterID(john, $0.chapter + 1) : nil
        }
    }

    private func database() throws -> AppDatabase { try AppDatabase.inMemory(migrator: LecternSchema.migrator) }

    private func makeModel(
        _ bench: NarrationBench, _ narrator: ChapterNarrator, _ database: AppDatabase, device: String = "desk",
        recordedBy recorder: EngineSeams? = nil
    ) async throws -> ListeningModel {
        let seams = EngineSeams.controlled(by: bench.clock)
        let data = try await PersonalData(database: database, seams: recorder ?? seams)
        return ListeningModel(
            source: source(), voice: NarrationBench.voice, narrator: narrator, data: data, device: device,
            seams: seams)
    }

    /// Waits until the model says so. Each step lets other tasks run.
    private func until(_ isSo: @MainActor () -> Bool) async throws {
        while !isSo() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Runs a model over an empty database.
    private func listening(
        _ body: @escaping @MainActor @Sendable (NarrationBench, ListeningModel) async throws -> Void
    ) async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let model = try await makeModel(bench, narrator, database)
            try await running(model) { model in try await body(bench, model) }
        }
    }

    /// Runs a model during a test, and then ends it as the program's end does.
    private func running<R: Sendable>(
        _ model: ListeningModel, _ body: @escaping @MainActor @Sendable (ListeningModel) async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask {
                await model.run()
                return nil
            }
            group.addTask { try await body(model) }
            var value: R?
            while let result = try await group.next() {
                if let result {
                    value = result
                    group.cancelAll()
                }
            }
            return try #require(value)
        }
    }

    private func place(_ database: AppDatabase, _ device: String = "desk") async throws -> PlaybackPosition? {
        let place = try await database.read { db in
            try ReadingLog().position(of: device, in: "kjv", .listening, db)
        }
        guard let place else { return nil }
        return PlaybackPosition(place.chapter, verse: try #require(place.verse), milliseconds: place.offset)
    }

    @Test func `A chapter is heard verse by verse, and the next one follows`() async throws {
        try await listening { bench, model in
            model.play(ChapterID(john, 3))
            var heard: [String] = []
            for _ in 0..<4 {
                try await until { model.phase == .playing && model.sound?.position == model.position }
                let sound = try #require(model.sound)
                heard.append("\(sound.position.chapter).\(sound.position.verse)")
                #expect(try bench.audio.speech(for: sound.key)?.milliseconds == sound.milliseconds)
                model.finished(sound.number)
            }
            #expect(heard == ["John.3.1", "John.3.2", "John.3.3", "John.4.1"])
        }
    }

    @Test func `The next chapter is made ahead`() async throws {
        try await listening { bench, model in
            model.play(ChapterID(john, 3))
            try await until { bench.voice.record.calls.count >= 4 }
            let next = bench.voice.record.calls.filter { $0.request.metadata["verse"]?.hasPrefix("John.4") == true }
            #expect(next.allSatisfy { $0.request.priority == .low })
        }
    }

    @Test func `Listening goes on at the verse after the process ended`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let first = try await makeModel(bench, narrator, database)
            try await running(first) { model in
                model.play(ChapterID(john, 3), verse: 2)
                try await until { model.phase == .playing }
                model.progressed(try #require(model.sound).number, milliseconds: 40)
            }
            #expect(try await place(database) == PlaybackPosition(ChapterID(john, 3), verse: 2, milliseconds: 40))
            let second = try await makeModel(bench, narrator, database)
            try await running(second) { model in
                #expect(try await model.playFromLastPlace())
                try await until { model.phase == .playing }
                #expect(model.position == PlaybackPosition(ChapterID(john, 3), verse: 2))
            }
            let other = try await makeModel(bench, narrator, database, device: "phone")
            let isFound = try await running(other) { try await $0.playFromLastPlace() }
            #expect(!isFound)
        }
    }

    @Test func `The sleep timer pauses by the clock`() async throws {
        try await listening { bench, model in
            model.play(ChapterID(john, 3))
            try await until { model.phase == .playing }
            model.sleep(afterMinutes: 1)
            #expect(model.sleepRemaining != nil)
            while model.phase == .playing {
                try Task.checkCancellation()
                bench.clock.advance(by: .seconds(1))
                await Task.yield()
            }
            #expect(model.phase == .paused)
            #expect(model.sound == nil)
            #expect(model.sleepRemaining == nil)
        }
    }

    @Test func `Another voice reads the verse again`() async throws {
        try await listening { _, model in
            model.play(ChapterID(john, 3), verse: 3)
            try await until { model.phase == .playing }
            let before = try #require(model.sound)
            model.choose(NarrationBench.local)
            try await until { model.phase == .playing && model.sound?.number != before.number }
            #expect(model.position?.verse == 3)
            #expect(model.sound?.key != before.key)
        }
    }

    @Test func `A report about an earlier sound is ignored`() async throws {
        try await listening { _, model in
            model.play(ChapterID(john, 3))
            try await until { model.phase == .playing }
            let number = try #require(model.sound).number
            model.finished(number - 1)
            model.progressed(number + 1, milliseconds: 20)
            #expect(model.position == PlaybackPosition(ChapterID(john, 3), verse: 1))
        }
    }

    @Test func `A failing provider says why, and nothing plays`() async throws {
        let bench = try NarrationBench { _ in .failure(AIServiceError(.unauthorized, "Set the key.")) }
        let database = try database()
        try await bench.running { narrator, _ in
            let model = try await makeModel(bench, narrator, database)
            try await running(model) { model in
                model.play(ChapterID(john, 3))
                try await until { model.message != nil }
                #expect(model.message == "Set the key.")
                #expect(model.sound == nil)
                try await until { model.phase == .paused }
            }
        }
    }

    @Test func `A paid voice makes no request before its cost was shown and accepted`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let model = try await makeModel(bench, narrator, database)
            let paid = NarrationVoice(provider: "voice", name: "Paid", isPaid: true, parameters: ["rate": 9])
            try await running(model) { model in
                model.choose(paid)
                model.play(ChapterID(john, 3), verse: 2)
                try await until { model.offer != nil }
                let texts = (3...4).flatMap { ["Verse one of John.\($0).", "Verse two.", "Verse three."] }
                #expect(model.offer?.voice == paid)
                #expect(model.offer?.book == john)
                // Equal verses of a chapter count once, and those of two chapters twice: they are two jobs.
                #expect(model.offer?.cost.characters == texts.reduce(0) { $0 + $1.count })
                #expect(model.offer?.cost.microDollars == nil, "No price is known.")
                #expect(model.phase == .opening)
                #expect(bench.voice.record.calls.isEmpty)
                model.acceptOffer()
                try await until { model.phase == .playing }
                #expect(model.position?.verse == 2)
                #expect(model.offer == nil)
                // The rest of the book was accepted with it.
                model.nextChapter()
                try await until { model.phase == .playing && model.position?.chapter.chapter == 4 }
                #expect(model.offer == nil)
            }
        }
    }

    @Test func `The local voice reads if the cost of a paid voice is declined`() async throws {
        try await listening { bench, model in
            model.localVoice = NarrationBench.local
            model.choose(NarrationVoice(provider: "voice", name: "Paid", isPaid: true))
            model.play(ChapterID(john, 3), verse: 2)
            try await until { model.offer != nil }
            model.declineOffer()
            try await until { model.phase == .playing }
            #expect(model.voice == NarrationBench.local)
            #expect(model.position?.verse == 2)
            #expect(bench.voice.record.calls.isEmpty)
        }
    }

    @Test func `A late report never replaces a newer place`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let heard = EngineSeams.controlled(by: bench.clock).date()
            var late = EngineSeams.controlled(by: bench.clock)
            late.date = { heard.addingTimeInterval(5) }
            let model = try await makeModel(bench, narrator, database, recordedBy: late)
            // Another tab of the same device was further on a second after this report was made.
            let newer = ReadingPosition(
                device: "desk", text: "kjv", kind: .listening, chapter: ChapterID(john, 4), verse: 2,
                madeAt: Moment(heard).adding(seconds: 1))
            let desk = try Desk(database)
            _ = try await database.write {
                try ReadingLog().record(newer, id: desk.id, now: newer.madeAt, in: $0)
            }
            try await running(model) { model in
                model.play(ChapterID(john, 3))
                try await until { model.phase == .playing }
                model.pause()
            }
            #expect(try await place(database) == PlaybackPosition(ChapterID(john, 4), verse: 2))
            let history = try await database.read { try ReadingLog().history(.listening, in: $0) }
            #expect(history.map(\.chapter.chapter) == [4, 3])
        }
    }
}
