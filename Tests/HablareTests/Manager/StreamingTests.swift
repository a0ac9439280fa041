import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// Returns a provider that yields words, one for each pass of a gate if there is one, and ends as given.
func words(
    _ words: [String], at gate: Gate? = nil, type: ContentType = .text, then end: AIServiceError? = nil
) -> ScriptedProvider {
    ScriptedProvider(responseType: type) { call in
        do {
            for word in words {
                try await gate?.pass()
                try await call.yield(word)
            }
            try await gate?.pass()
        } catch {
            return .failure(error as? AIServiceError ?? AIServiceError(.connectionLost, "Cut off."))
        }
        if let end { return .failure(end) }
        return .success(ProviderAnswer(streamed: type == .text ? .text : .data))
    }
}

/// Reads a stream to its end. Returns its chunks in brackets, its restarts and its end.
func read(_ manager: AIRequestManager, _ id: UUID, from position: StreamPosition = .start) async throws -> String {
    var told = ""
    do {
        for try await element in try await manager.stream(for: id, from: position) {
            switch element {
            case .chunk(let chunk): told += "[\(chunk.text)]"
            case .restarted(let generation): told += " restarted \(generation) "
            case .completed(let response): told += " = " + (try await text(response))
            }
        }
    } catch let error as AIServiceError {
        told += " \(error.code)"
    }
    return told
}

@Suite(.timeLimit(.minutes(5)))
struct StreamingTests {
    private let request = AIRequest(prompt: "p", streaming: StreamingPolicy())

    @Test(
        "A reader gets the chunks as yielded, then the answer that they form",
        arguments: StreamingPolicy.Durability.allCases)
    func chunks(durability: StreamingPolicy.Durability) async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(durability: durability))
        let engine = try Engine([words(["In ", "the ", "beginning"])])
        let manager = engine.manager
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            let expected = "[In ][the ][beginning] = In the beginning"
            #expect(try await read(manager, request.id) == expected)
            #expect(try await read(manager, request.id) == expected, "also afterwards")
            let back = StreamPosition(generation: 1, sequence: 2)
            #expect(try await read(manager, request.id, from: back) == "[beginning] = In the beginning")
            #expect(try await manager.response(for: request.id)?.text() == "In the beginning")
        }
    }

    @Test(
        "A reader gets a chunk before the provider continues, at once or after the journal's delay",
        arguments: StreamingPolicy.Durability.allCases)
    func live(durability: StreamingPolicy.Durability) async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(durability: durability))
        let gate = Gate()
        let engine = try Engine([words(["a", "b", "c"], at: gate)])
        let manager = engine.manager
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            var reader = try await manager.stream(for: request.id).makeAsyncIterator()
            for (number, word) in ["a", "b", "c"].enumerated() {
                gate.admitOne()
                await gate.arrivals(reach: number + 2)
                if durability == .durable { engine.clock.advance(by: .milliseconds(25)) }
                guard case .chunk(let chunk) = try await reader.next() else {
                    Issue.record("That is no chunk")
                    return
                }
                #expect(chunk.text == word)
                #expect(chunk.position == StreamPosition(generation: 1, sequence: number))
            }
            gate.admitOne()
            guard case .completed = try await reader.next() else {
                Issue.record("That is not the end")
                return
            }
            #expect(try await reader.next() == nil)
        }
    }

    @Test("A chunk of a durable stream is on disk before a reader gets it")
    func durable() async throws {
        let gate = Gate()
        let store = ProcessStore()
        let engine = try Engine([words(["a", "b"], at: gate)], store: store)
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            for number in 1...2 {
                gate.admitOne()
                await gate.arrivals(reach: number + 1)
                engine.clock.advance(by: .milliseconds(25))
                var reader = try await manager.stream(
                    for: request.id, from: StreamPosition(sequence: number - 1)
                ).makeAsyncIterator()
                _ = try await reader.next()
                let page = store.shared.stream(of: request.id, from: .start, maximumBytes: 99)
                #expect(page?.chunks.count == number)
            }
            gate.open()
        }
    }

    @Test("Readers have their own pace, and one that leaves does not affect the others")
    func readers() async throws {
        let gate = Gate()
        let all = (0..<300).map { "\($0) " }
        let engine = try Engine([words(all, at: gate)])
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            async let quick = read(manager, request.id)
            var slow = try await manager.stream(for: request.id).makeAsyncIterator()
            let leaver = Task(executorPreference: nil) { try await read(manager, request.id) }
            gate.open()
            _ = try await slow.next()
            leaver.cancel()
            let whole = all.joined()
            #expect(try await quick == all.map { "[\($0)]" }.joined() + " = " + whole)
            var count = 1
            while case .chunk(let chunk) = try await slow.next() {
                #expect(chunk.text == all[count])
                count += 1
            }
            #expect(count == 300)
            _ = await leaver.result
            #expect(try await manager.status(for: request.id).phase == .completed)
        }
    }

    @Test("Cancelling a reader's task throws CancellationError, and the request continues")
    func leaving() async throws {
        let gate = Gate()
        let engine = try Engine([words(["a"], at: gate)])
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            let reader = Task(executorPreference: nil) { try await read(manager, request.id) }
            try await waitUntil { manager.engine.chunks.readerCount(of: request.id) != 0 }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            try await waitUntil { manager.engine.chunks.readerCount(of: request.id) <= 0 }
            gate.open()
            #expect(try await text(manager.execute(requestID: request.id)) == "a")
        }
    }

    @Test("A failure after the first chunk is not retried, and the partial text stays readable")
    func failure() async throws {
        let engine = try Engine(
            [words(["one ", "two"], then: StoreWorkbench.overloaded)],
            configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 5)))
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            let told = try await engine.soon { try await read(manager, request.id) }
            #expect(told == "[one ][two] overloaded")
            #expect(try await read(manager, request.id, from: StreamPosition(sequence: 1)) == "[two] overloaded")
        }
        let attempts = try await manager.attempts(for: request.id)
        #expect(attempts.map(\.billing) == [.maybeBilled], "something came, so it may cost something")
    }

    @Test("A failure before the first chunk is retried unnoticed by readers")
    func earlyFailure() async throws {
        let calls = Locked(0)
        let provider = ScriptedProvider { call in
            if calls.withLock({
                $0 += 1; return $0
            }) == 1 {
                return .failure(StoreWorkbench.overloaded)
            }
            do { try await call.yield("word") } catch { return .failure(.init(.providerFailed, "No.")) }
            return .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine([provider], configuration: EngineConfiguration(retry: RetryPolicy(baseDelay: .zero)))
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            async let told = read(manager, request.id)
            try await engine.pass { try await manager.status(for: request.id).isFinal }
            #expect(try await told == "[word] = word")
        }
        #expect(calls.withLock { $0 } == 2)
    }

    @Test("If restarts are allowed, readers are notified when the answer starts over")
    func restart() async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(allowsRestart: true))
        let calls = Locked(0)
        let gate = Gate()
        let provider = ScriptedProvider { call in
            let number = calls.withLock {
                $0 += 1; return $0
            }
            do {
                try await call.yield("try \(number)")
                try await gate.pass()
            } catch { return .failure(.init(.providerFailed, "No.")) }
            return number == 1 ? .failure(StoreWorkbench.overloaded) : .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine([provider], configuration: EngineConfiguration(retry: RetryPolicy(baseDelay: .zero)))
        let manager = engine.manager
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            var reader = try await manager.stream(for: request.id).makeAsyncIterator()
            #expect(try await reader.next().map { "\($0)".contains("chunk") } == true)
            async let late = read(manager, request.id, from: StreamPosition(generation: 1, sequence: 1))
            gate.open()
            try await engine.pass { try await manager.status(for: request.id).isFinal }
            #expect(try await reader.next() == .restarted(generation: 2))
            guard case .chunk(let chunk) = try await reader.next() else {
                Issue.record("That is no chunk")
                return
            }
            #expect(chunk.text == "try 2" && chunk.position == StreamPosition(generation: 2, sequence: 0))
            #expect(try await late == " restarted 2 [try 2] = try 2")
            #expect(try await read(manager, request.id) == "[try 2] = try 2", "who comes now never saw the first")
        }
    }

    @Test("A cancelled request ends its streams, even if its provider ignores the cancellation")
    func cancelled() async throws {
        let latch = Latch()
        let provider = ScriptedProvider { call in
            do { try await call.yield("part") } catch { return .failure(.init(.providerFailed, "No.")) }
            await latch.wait()
            return .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            let hasRead = Locked(false)
            async let told = engine.soon {
                var reader = try await manager.stream(for: request.id).makeAsyncIterator()
                _ = try await reader.next()
                hasRead.withLock { $0 = true }
                return await code { _ = try await reader.next() }
            }
            defer { latch.open() }
            try await engine.expectSoon { hasRead.withLock { $0 } }
            try await manager.cancelRequest(request.id)
            #expect(try await told == .cancelled)
            #expect(try await engine.soon { try await read(manager, request.id) } == "[part] cancelled")
        }
    }

    @Test("An unknown request has no stream, and a deleted one's stream ends")
    func unknown() async throws {
        let gate = Gate()
        let engine = try Engine([words(["a"], at: gate)])
        let manager = engine.manager
        let request = request
        try await engine.run {
            #expect(await code { _ = try await manager.stream(for: UUID()) } == .unknownRequest)
            try await manager.submit(request, to: "scripted")
            async let told = read(manager, request.id)
            try await waitUntil { manager.engine.chunks.readerCount(of: request.id) != 0 }
            try await manager.delete(request.id)
            #expect(try await told == " unknown-request")
        }
    }

    @Test("A reader of a request that moved to a new flight is notified of the restart")
    func doneAnew() async throws {
        let calls = Locked(0)
        let gate = Gate()
        let provider = ScriptedProvider { call in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            do {
                for word in ["a", "b"] { try await call.yield("\(word)\(number)") }
                if number == 1 { try await gate.pass() }
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut off."))
            }
            return .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        let requests = (0..<2).map { _ in AIRequest(prompt: "done anew", streaming: StreamingPolicy()) }
        try await engine.run {
            for request in requests { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            try await manager.cancelRequest(requests[1].id)
            gate.open()
            #expect(try await read(manager, requests[0].id) == "[a1][b1] = a1b1")
            #expect(try await read(manager, requests[1].id) == "[a1][b1] cancelled")
            try await manager.retry(requests[1].id)
            _ = try await manager.execute(requestID: requests[1].id)
            let back = StreamPosition(generation: 1, sequence: 1)
            #expect(try await read(manager, requests[1].id, from: back) == " restarted 2 [a2][b2] = a2b2")
        }
    }

    @Test("The stream of a deleted request ends, and shows nothing of a new request with its UUID")
    func usedAgain() async throws {
        let gate = Gate()
        let engine = try Engine([words(["a", "b"], at: gate)])
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            gate.admitOne()
            var reader = try await manager.stream(for: request.id).makeAsyncIterator()
            guard case .chunk = try await reader.next() else {
                Issue.record("That is no chunk")
                return
            }
            try await manager.delete(request.id)
            gate.open()
            try await manager.submit(
                AIRequest(id: request.id, prompt: "used again", streaming: request.streaming), to: "scripted")
            _ = try await manager.execute(requestID: request.id)
            #expect(await code { _ = try await reader.next() } == .unknownRequest)
        }
    }

    @Test("The stream of a waiting request ends with the engine, and the request stays")
    func shutdown() async throws {
        let engine = try Engine([words(["a"])], configuration: EngineConfiguration(scope: .job(JobKey(rawValue: "j"))))
        let manager = engine.manager
        let request = request
        let reader = try await engine.run {
            try await manager.submit(request, to: "scripted")
            let reader = Task(executorPreference: nil) { try await read(manager, request.id) }
            try await waitUntil { manager.engine.chunks.readerCount(of: request.id) != 0 }
            return reader
        }
        #expect(try await reader.value == " suspended")
        #expect(try await manager.status(for: request.id).phase == .pending)
    }

    @Test("A stream cut off by a shutdown fails, and its partial text is kept", arguments: [false, true])
    func cutByShutdown(allowsRestart: Bool) async throws {
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(allowsRestart: allowsRestart))
        let gate = Gate()
        gate.admitOne()
        let engine = try Engine(
            [words(["a", "b"], at: gate)], configuration: EngineConfiguration(shutdownGrace: .zero))
        let manager = engine.manager
        let reader = try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 2)
            return Task(executorPreference: nil) { try await read(manager, request.id) }
        }
        #expect(try await reader.value == (allowsRestart ? "[a] suspended" : "[a] stream-interrupted"))
        #expect(try await manager.snapshot(for: request.id).phase == (allowsRestart ? .pending : .failed))
    }

    @Test("A streaming provider may exceed the timeout as long as it is not silent")
    func silence() async throws {
        let gate = Gate()
        let engine = try Engine(
            [words(["a", "b", "c"], at: gate)],
            configuration: EngineConfiguration(attemptTimeout: .seconds(10), retry: .never))
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            for number in 1...3 {
                await gate.arrivals(reach: number)
                engine.clock.advance(by: .seconds(9))
                gate.admitOne()
            }
            await gate.arrivals(reach: 4)
            #expect(try await manager.status(for: request.id).phase == .executing)
            try await engine.advance { try await manager.status(for: request.id).isFinal }
            #expect(try await read(manager, request.id) == "[a][b][c] timeout")
        }
    }

    @Test("A provider that continues after a stop cannot complete an answer with missing chunks")
    func deaf() async throws {
        let latch = Latch()
        let provider = ScriptedProvider { call in
            for word in ["a", "b"] {
                do {
                    try await call.yield(word)
                } catch {
                    continue  // it ignores the error
                }
                if word == "a" { await latch.wait() }
            }
            return .success(ProviderAnswer(streamed: .text))
        }
        let engine = try Engine(
            [provider], configuration: EngineConfiguration(attemptTimeout: .seconds(10), retry: .never))
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            var reader = try await manager.stream(for: request.id).makeAsyncIterator()
            _ = try await reader.next()
            await engine.clock.sleepers(reach: 1)
            engine.clock.advance(by: .seconds(11))
            try await waitUntil { !provider.record.calls.isEmpty }
            for _ in 0..<100 { try await pause() }
            latch.open()
            #expect(await code { _ = try await reader.next() } == .timeout)
        }
    }

    @Test("A stream waits while the store fails, and loses nothing")
    func storeFails() async throws {
        let gate = Gate()
        let store = ProcessStore()
        let engine = try Engine([words(["a", "b"], at: gate)], store: store)
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            store.fail(on: { if case .append = $0 { true } else { false } })
            async let told = read(manager, request.id)
            gate.admitOne()
            await gate.arrivals(reach: 2)
            for _ in 0..<50 { try await pause() }
            store.recover()
            for _ in 0..<3 {
                engine.clock.advance(by: .seconds(1))
                for _ in 0..<50 { try await pause() }
            }
            gate.open()
            #expect(try await told == "[a][b] = ab")
        }
    }

    @Test(
        "An answer whose last chunks the store refused is recorded completely when the store recovers",
        arguments: StreamingPolicy.Durability.allCases)
    func storeFailsAtTheEnd(durability: StreamingPolicy.Durability) async throws {
        let gate = Gate()
        let store = ProcessStore()
        let provider = words(["a", "b", "c"], at: gate)
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy(durability: durability, allowsRestart: true))
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            gate.admitOne()
            await gate.arrivals(reach: 2)
            store.fail(on: {
                switch $0 {
                case .append, .settle: true
                default: false
                }
            })
            gate.open()
            try await engine.expectSoon {
                engine.log.says("error: An attempt's end could not be recorded; the engine tries again")
            }
            #expect(try await manager.status(for: request.id).phase == .executing)
            store.recover()
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: request.id).isFinal }
            #expect(try await read(manager, request.id) == "[a][b][c] = abc")
        }
        #expect(provider.record.calls.count == 1, "paid once")
        #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.completed])
    }

    @Test("The last chunks of a failed stream stay readable even if the store failed just then")
    func storeFailsAtTheEndOfAFailure() async throws {
        let gate = Gate()
        let store = ProcessStore()
        let provider = words(["a", "b"], at: gate, then: AIServiceError(.quotaExceeded, "No."))
        let engine = try Engine([provider], store: store)
        let manager = engine.manager
        let request = request
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            store.fail(on: {
                switch $0 {
                case .append, .settle: true
                default: false
                }
            })
            gate.open()
            try await engine.expectSoon {
                engine.log.says("error: An attempt's end could not be recorded; the engine tries again")
            }
            store.recover()
            try await engine.advance(by: .seconds(5)) { try await manager.status(for: request.id).isFinal }
            #expect(try await read(manager, request.id) == "[a][b] quota-exceeded")
        }
    }

    @Test("A reader in another process gets the chunks live, and the end")
    func anotherProcess() async throws {
        let machine = ProcessStore.Machine()
        let gate = Gate()
        let first = try Engine([words(["a", "b"], at: gate)], store: ProcessStore(machine))
        let second = try Engine(
            [words([])], store: ProcessStore(machine),
            configuration: EngineConfiguration(scope: .job(JobKey(rawValue: "other"))))
        let (here, there) = (first.manager, second.manager)
        let request = request
        try await first.run {
            try await here.submit(request, to: "scripted")
            try await second.run {
                var reader = try await there.stream(for: request.id).makeAsyncIterator()
                gate.admitOne()
                #expect(try await reader.next().map { "\($0)".contains("sequence: 0") } == true)
                gate.open()
                #expect(try await reader.next().map { "\($0)".contains("sequence: 1") } == true)
                guard case .completed(let response) = try await reader.next() else {
                    Issue.record("That is not the end")
                    return
                }
                #expect(try await text(response) == "ab")
            }
        }
    }
}
