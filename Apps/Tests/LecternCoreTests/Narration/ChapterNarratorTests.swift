import Foundation
import Hablare
import HablareStores
import HablareTestKit
import LecternTexts
import Synchronization
import Testing

@testable import LecternCore

struct ChapterNarratorTests {
    private let script = ChapterScript(
        NarrationBench.chapter("In the beginning.", "And the earth was.", "And God said.", "And it was so."), of: "kjv")

    /// The updates of a narration, in order.
    private final class Updates: Sendable {
        let all = Mutex<[NarrationUpdate]>([])
        func receive(_ update: NarrationUpdate) { all.withLock { $0.append(update) } }
        var waiting: Int {
            all.withLock { $0.count { if case .waiting = $0 { true } else { false } } }
        }
        var ready: [Int] {
            all.withLock { $0.compactMap { if case .ready(let index, _, _) = $0 { index } else { nil } } }
        }
    }

    @Test func `Each verse becomes ready with the length of its sound`() async throws {
        let bench = try NarrationBench()
        let result = try await bench.running { narrator, _ in
            try await narrator.narrate(script, by: NarrationBench.voice)
        }
        #expect(result.problems.isEmpty)
        #expect(
            result.audio.map { $0?.milliseconds }
                == script.segments.map { NarrationBench.milliseconds($0.pieces[0]) })
        #expect(bench.voice.record.calls.count == 4)
    }

    @Test func `A second narration makes nothing again`() async throws {
        let bench = try NarrationBench()
        try await bench.running { narrator, _ in
            let first = try await narrator.narrate(script, by: NarrationBench.voice)
            let second = try await narrator.narrate(script, by: NarrationBench.voice)
            #expect(first == second)
        }
        #expect(bench.voice.record.calls.count == 4)
    }

    @Test func `The verse that is heard is asked for first, and the verses before it last`() async throws {
        let bench = try NarrationBench(limits: ProviderLimits(concurrency: 1))
        try await bench.running { narrator, _ in
            _ = try await narrator.narrate(script, by: NarrationBench.voice, from: 2)
        }
        let texts = bench.voice.record.calls.map(\.request.prompt.plainText)
        #expect(texts == ["And God said.", "And it was so.", "In the beginning.", "And the earth was."])
        #expect(bench.voice.record.calls.map(\.request.priority).first == .high)
    }

    @Test func `A chapter that is read ahead has a low priority until it is heard`() async throws {
        let gate = Gate()
        let bench = try NarrationBench(limits: ProviderLimits(concurrency: 1)) { call in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
            return .success(NarrationBench.answer(to: call))
        }
        try await bench.running { narrator, manager in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await narrator.narrate(script, by: NarrationBench.voice, for: .ahead) }
                await gate.arrivals(reach: 1)
                #expect(bench.voice.record.calls[0].request.priority == .low)
                group.addTask { _ = try await narrator.narrate(script, by: NarrationBench.voice, from: 3) }
                // The verse that is heard shares the call of the waiting request, and overtakes the others.
                while try await manager.snapshots().allSatisfy({ $0.priority != .high }) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                gate.admitOne()
                await gate.arrivals(reach: 2)
                gate.open()
                try await group.waitForAll()
            }
        }
        let texts = bench.voice.record.calls.map(\.request.prompt.plainText)
        #expect(texts.count == 4)
        #expect(texts[1] == "And it was so.")
    }

    @Test func `A verse that fails is noted and skipped, and tried again by the next narration`() async throws {
        let isBroken = Mutex(true)
        let bench = try NarrationBench { call in
            if call.request.prompt.plainText == "And God said.", isBroken.withLock({ $0 }) {
                return .failure(AIServiceError(.providerFailed, "The voice stumbled."))
            }
            return .success(NarrationBench.answer(to: call))
        }
        try await bench.running { narrator, _ in
            let first = try await narrator.narrate(script, by: NarrationBench.voice)
            #expect(first.audio.map { $0 != nil } == [true, true, false, true])
            #expect(first.problems.map(\.verse.description) == ["John.3.3"])
            #expect(first.problems.map(\.message) == ["The voice stumbled."])
            isBroken.withLock { $0 = false }
            let second = try await narrator.narrate(script, by: NarrationBench.voice)
            #expect(second.problems.isEmpty)
        }
        #expect(bench.voice.record.calls.count == 5)
    }

    @Test func `Audio that cannot be decoded is noted and skipped`() async throws {
        let bench = try NarrationBench { call in
            guard call.request.prompt.plainText == "And God said." else {
                return .success(NarrationBench.answer(to: call))
            }
            return .success(ProviderAnswer(.audio(Body(Data("RIFF____WAVE".utf8)), .wav)))
        }
        let result = try await bench.running { narrator, _ in
            try await narrator.narrate(script, by: NarrationBench.voice)
        }
        #expect(result.problems.map(\.verse.verse) == [3])
    }

    @Test func `A provider that is down is waited for`() async throws {
        let failures = Mutex(2)
        let bench = try NarrationBench { call in
            let fails = failures.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            return fails
                ? .failure(AIServiceError(.connectionFailed, "No connection."))
                : .success(NarrationBench.answer(to: call))
        }
        let one = ChapterScript(NarrationBench.chapter("In the beginning."), of: "kjv")
        let updates = Updates()
        try await bench.running { narrator, _ in
            async let result = narrator.narrate(one, by: NarrationBench.voice) { updates.receive($0) }
            while updates.ready.isEmpty {
                try Task.checkCancellation()
                // The clock stands still during an attempt, so that it does not reach its timeout.
                let calls = bench.voice.record.calls.count
                if calls > 0, updates.waiting >= calls { bench.clock.advance(by: .seconds(1)) }
                await Task.yield()
            }
            #expect(try await result.problems.isEmpty)
        }
        #expect(updates.all.withLock { $0.prefix(2) }.allSatisfy { if case .waiting = $0 { true } else { false } })
    }

    @Test(arguments: [AIServiceError.Code.connectionFailed, .overloaded, .unauthorized, .quotaExceeded])
    func `The local voice reads in the place of a provider that cannot be used`(code: AIServiceError.Code) async throws
    {
        let bench = try NarrationBench { _ in .failure(AIServiceError(code, "Not now.")) }
        let updates = Updates()
        let result = try await bench.running { narrator, _ in
            try await narrator.narrate(script, by: NarrationBench.voice, replacingBy: NarrationBench.local) {
                updates.receive($0)
            }
        }
        #expect(result.problems.isEmpty)
        #expect(result.audio.allSatisfy { $0 != nil })
        #expect(bench.local.record.calls.count == 4)
        #expect(
            updates.all.withLock { $0 }.filter { if case .replaced = $0 { true } else { false } }.count == 4)
    }

    @Test func `A wrong key ends the narration with advice`() async throws {
        let bench = try NarrationBench { _ in .failure(AIServiceError(.unauthorized, "Set the key.")) }
        await #expect(throws: AIServiceError.self) {
            try await bench.running { narrator, _ in
                _ = try await narrator.narrate(script, by: NarrationBench.voice)
            }
        }
    }

    @Test func `An unknown provider is refused with advice`() async throws {
        let bench = try NarrationBench()
        await #expect(throws: AIServiceError.self) {
            try await bench.running { narrator, _ in
                _ = try await narrator.narrate(script, by: NarrationVoice(provider: "nobody", name: "Nobody"))
            }
        }
    }

    @Test func `A narration goes on after the process was killed`() async throws {
        let store = InMemoryStore()
        let gate = Gate()
        let first = try NarrationBench(store: store, limits: ProviderLimits(concurrency: 1)) { call in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
            return .success(NarrationBench.answer(to: call))
        }
        // The first process answers two verses and is stopped with two in the store.
        await #expect(throws: CancellationError.self) {
            try await first.running { narrator, _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await narrator.narrate(script, by: NarrationBench.voice) }
                    gate.admitOne()
                    gate.admitOne()
                    await gate.arrivals(reach: 3)
                    throw CancellationError()
                }
            }
        }
        // The audio store of the second process is another one, as if the audio had not been synced.
        let second = try NarrationBench(store: store)
        let result = try await second.running { narrator, _ in
            try await narrator.narrate(script, by: NarrationBench.voice)
        }
        #expect(result.problems.isEmpty)
        #expect(result.audio.allSatisfy { $0 != nil })
    }

    @Test func `Audio that the cache has removed is made again`() async throws {
        // No verse fits.
        let bench = try NarrationBench(maximumBytes: 0)
        try await bench.running { narrator, _ in
            for round in 1...3 {
                let result = try await narrator.narrate(script, by: NarrationBench.voice)
                #expect(result.audio.allSatisfy { $0 != nil })
                #expect(try bench.audio.speech(for: try #require(result.audio[0]).key) == nil)
                #expect(bench.voice.record.calls.count <= 4 * round)
            }
        }
    }

    @Test func `The engine keeps no copy of audio that is stored`() async throws {
        let bench = try NarrationBench()
        try await bench.running { narrator, manager in
            _ = try await narrator.narrate(script, by: NarrationBench.voice)
            for snapshot in try await manager.snapshots() {
                let response = try #require(try await manager.response(for: snapshot.id))
                #expect(throws: AIServiceError.self) { try response.result.get() }
            }
        }
    }

    @Test func `The cost counts the characters of the verses that are missing`() async throws {
        let bench = try NarrationBench()
        let prices = try PriceTable([
            PriceEntry(provider: "voice", unit: .character, microDollarsPerMillion: 15_000_000)
        ])
        let priced = bench.voice.using { Usage(characters: Int64($0.prompt.plainText.count)) }
        let registry = try ProviderRegistry([priced])
        let manager = AIRequestManager(store: bench.store, providers: registry)
        let narrator = ChapterNarrator(manager: manager, providers: registry, audio: bench.audio)
        var voice = NarrationBench.voice
        voice.isPaid = true
        let cost = try await narrator.cost(of: script, by: voice, prices: prices, at: Date(timeIntervalSince1970: 0))
        #expect(cost.characters == script.characters)
        #expect(cost.calls == 4)
        #expect(cost.microDollars == Int64(script.characters * 15))
        let free = try await narrator.cost(
            of: script, by: NarrationBench.voice, prices: prices, at: Date(timeIntervalSince1970: 0))
        #expect(free.microDollars == 0)
        let unknown = try await narrator.cost(of: script, by: voice, prices: .empty, at: Date(timeIntervalSince1970: 0))
        #expect(unknown.microDollars == nil)
    }

    @Test func `Verses of one text that are equal share one call`() async throws {
        let bench = try NarrationBench()
        let twice = ChapterScript(NarrationBench.chapter("And the LORD spake.", "And the LORD spake."), of: "kjv")
        let result = try await bench.running { narrator, _ in
            try await narrator.narrate(twice, by: NarrationBench.voice)
        }
        #expect(result.audio.allSatisfy { $0 != nil })
        #expect(bench.voice.record.calls.count == 1)
    }

    @Test func `A voice that fails at equal verses fails at each of them`() async throws {
        let bench = try NarrationBench { _ in .failure(AIServiceError(.providerFailed, "The voice stumbled.")) }
        let twice = ChapterScript(NarrationBench.chapter("And the LORD spake.", "And the LORD spake."), of: "kjv")
        let result = try await bench.running { narrator, _ in
            try await narrator.narrate(twice, by: NarrationBench.voice)
        }
        #expect(result.problems.map(\.verse.verse) == [1, 2])
    }
}
