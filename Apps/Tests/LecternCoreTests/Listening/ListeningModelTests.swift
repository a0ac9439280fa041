import Foundation
import GRDB
import Hablare
import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@MainActor @Suite struct ListeningModelTests {
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
        _ bench: NarrationBench, _ narrator: ChapterNarrator, _ database: AppDatabase, device: String = "desk"
    ) -> ListeningModel {
        ListeningModel(
            source: source(), voice: NarrationBench.voice, narrator: narrator, database: database, device: device,
            seams: .controlled(by: bench.clock))
    }

    /// Waits until the model says so. Each step lets other tasks run.
    private func until(_ isSo: @MainActor () -> Bool) async throws {
        while !isSo() {
            try Task.checkCancellation()
            await Task.yield()
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
        try await database.read { try ListeningPositionStore().place(of: "kjv", on: device, in: $0) }?.position
    }

    @Test func `A chapter is heard verse by verse, and the next one follows`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let model = await makeModel(bench, narrator, database)
            try await running(model) { model in
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
    }

    @Test func `The next chapter is made ahead`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let model = await makeModel(bench, narrator, database)
            try await running(model) { model in
                model.play(ChapterID(john, 3))
                try await until { bench.voice.record.calls.count >= 4 }
                let next = bench.voice.record.calls.filter { $0.request.metadata["verse"]?.hasPrefix("John.4") == true }
                #expect(next.allSatisfy { $0.request.priority == .low })
            }
        }
    }

    @Test func `Listening goes on at the verse after the process ended`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let first = await makeModel(bench, narrator, database)
            try await running(first) { model in
                model.play(ChapterID(john, 3), verse: 2)
                try await until { model.phase == .playing }
                model.progressed(try #require(model.sound).number, milliseconds: 40)
            }
            #expect(try await place(database) == PlaybackPosition(ChapterID(john, 3), verse: 2, milliseconds: 40))
            let second = await makeModel(bench, narrator, database)
            try await running(second) { model in
                #expect(try await model.playFromLastPlace())
                try await until { model.phase == .playing }
                #expect(model.position == PlaybackPosition(ChapterID(john, 3), verse: 2))
            }
            let other = await makeModel(bench, narrator, database, device: "phone")
            try await running(other) { model in #expect(try await !model.playFromLastPlace()) }
        }
    }

    @Test func `The sleep timer pauses by the clock`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let model = await makeModel(bench, narrator, database)
            try await running(model) { model in
                model.play(ChapterID(john, 3))
                try await until { model.phase == .playing }
                model.sleep(afterMinutes: 1)
                #expect(model.sleepRemaining != nil)
                while model.phase == .playing {
                    bench.clock.advance(by: .seconds(1))
                    await Task.yield()
                }
                #expect(model.phase == .paused)
                #expect(model.sound == nil)
                #expect(model.sleepRemaining == nil)
            }
        }
    }

    @Test func `Another voice reads the verse again`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let model = await makeModel(bench, narrator, database)
            try await running(model) { model in
                model.play(ChapterID(john, 3), verse: 3)
                try await until { model.phase == .playing }
                let before = try #require(model.sound)
                model.choose(NarrationBench.local)
                try await until { model.phase == .playing && model.sound?.number != before.number }
                #expect(model.position?.verse == 3)
                #expect(model.sound?.key != before.key)
            }
        }
    }

    @Test func `A report about an earlier sound is ignored`() async throws {
        let bench = try NarrationBench()
        let database = try database()
        try await bench.running { narrator, _ in
            let model = await makeModel(bench, narrator, database)
            try await running(model) { model in
                model.play(ChapterID(john, 3))
                try await until { model.phase == .playing }
                let number = try #require(model.sound).number
                model.finished(number - 1)
                model.progressed(number + 1, milliseconds: 20)
                #expect(model.position == PlaybackPosition(ChapterID(john, 3), verse: 1))
            }
        }
    }

    @Test func `A failing provider says why, and nothing plays`() async throws {
        let bench = try NarrationBench { _ in .failure(AIServiceError(.unauthorized, "Set the key.")) }
        let database = try database()
        try await bench.running { narrator, _ in
            let model = await makeModel(bench, narrator, database)
            try await running(model) { model in
                model.play(ChapterID(john, 3))
                try await until { model.message != nil }
                #expect(model.message == "Set the key.")
                #expect(model.sound == nil)
                try await until { model.phase == .paused }
            }
        }
    }

    @Test func `An older place never replaces a newer one`() async throws {
        let database = try database()
        let chapter = ChapterID(john, 3)
        for (verse, time) in [(5, 100.0), (2, 50), (7, 100)] {
            let place = ListeningPlace(
                text: "kjv", device: "desk", position: PlaybackPosition(chapter, verse: verse),
                recordedAt: Date(timeIntervalSince1970: time))
            try await database.write { try ListeningPositionStore().record(place, in: $0) }
        }
        #expect(try await place(database)?.verse == 7)
    }
}
