import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestKit
import Testing
import UnixSignals

/// Runs the articles' code and checks that it does what they say.
@Suite(.timeLimit(.minutes(5))) struct ArticleTests {
    // MARK: Starting

    @Test("The server article answers its requests and shuts down gracefully on a signal")
    func server() async throws {
        let response = try await withFolder { folder in
            try await serve(storingIn: folder, endingAt: [.sigwinch])
            return try SQLiteStore(directory: folder).response(of: Web.id)
        }
        #expect(response != nil)
    }

    @MainActor
    @Test("The app article's model runs the engine, shows answers and errors, and ends on cancellation")
    func app() async throws {
        let (manager, problem) = try openEngine(in: URL(fileURLWithPath: #filePath).appendingPathComponent("x"))
        #expect(problem != nil, "a file is no folder, so the model runs in memory")
        let shouting = Shouting(manager: manager)
        await withTaskGroup { group in
            group.addTask { await shouting.run() }
            await shouting.shout("from an app")
            #expect(shouting.answer == "FROM AN APP")
            #expect(shouting.problem == nil)
            group.cancelAll()
        }
        await shouting.shout("too late")
        #expect(shouting.problem?.contains("shut down") ?? false)
    }

    @Test("The app article uses the store on disk if it can be opened")
    func opened() async throws {
        let isThere = try await withFolder { folder in
            let problem = try openEngine(in: folder).problem
            #expect(problem == nil)
            return FileManager.default.fileExists(atPath: folder.appendingPathComponent("hablare.sqlite").path)
        }
        #expect(isThere)
    }

    @MainActor
    @Test("The preview article's model shows the scripted answer")
    func preview() async throws {
        let shouting = try Shouting.preview(answering: "HELLO")
        await withTaskGroup { group in
            group.addTask { await shouting.run() }
            await shouting.shout("anything")
            group.cancelAll()
        }
        #expect(shouting.answer == "HELLO")
    }

    // MARK: Types

    @Test("The typed request article retries an invalid recipe and finds the result by its UUID")
    func recipe() async throws {
        let left = Locked([
            "Of course! What would you like?",
            "```json\n{\"title\":\"Bread\",\"ingredients\":[{\"name\":\"Flour\",\"grams\":500}]}\n```",
        ])
        let provider = ScriptedProvider(id: "openai") { _ in
            .success(ProviderAnswer(.text(Body(left.withLock { $0.isEmpty ? "" : $0.removeFirst() }))))
        }
        let engine = try Engine([provider])
        try await engine.run { [manager = engine.manager] in
            let id = UUID.timeOrdered()
            for _ in 0..<2 {
                let bread = try await HablareTests.recipe(for: "bread", id: id, with: manager)
                #expect(bread.title == "Bread" && bread.ingredients.map(\.grams) == [500])
            }
        }
        #expect(provider.record.calls.count == 2)
    }

    @Test("The article's JSON matches the schema in the file, and a later run finds it")
    func jsonItself() async throws {
        let left = Locked(["{\"n\":\"x\"}", "{\"n\":1.0}"])
        let provider = ScriptedProvider(id: "openai") { _ in
            .success(ProviderAnswer(.text(Body(left.withLock { $0.isEmpty ? "" : $0.removeFirst() }))))
        }
        let engine = try Engine([provider])
        let file = Data(#"{"type":"object","properties":{"n":{"type":"integer"}}}"#.utf8)
        try await engine.run { [manager = engine.manager] in
            for _ in 0..<2 {
                let value = try await json("Count.", as: file, with: manager)
                #expect(value == ["n": 1.0])
            }
        }
        #expect(provider.record.calls.count == 2)
    }

    @Test("The article's conversation calls tools until there is an answer, up to a limit")
    func weatherReport() async throws {
        let provider = ScriptedProvider(id: "openai") { call in
            guard call.request.prompt.plainText.contains("Lima"), case .messages(let messages) = call.request.prompt,
                messages.last?.role == .tool
            else {
                let metadata = [
                    AnswerMetadata.toolCalls: #"[{"id":"1","name":"weather","arguments":{"city":"Lima"}}]"#
                ]
                return .success(ProviderAnswer(.text(""), metadata: metadata))
            }
            return .success(ProviderAnswer(.text("Sunny.")))
        }
        let engine = try Engine([provider])
        try await engine.run { [manager = engine.manager] in
            let report = try await weather(in: "Lima", with: manager) { call in
                #expect(call.arguments == ["city": "Lima"])
                return "22 °C"
            }
            #expect(report == "Sunny.")
            let endless = await code { _ = try await weather(in: "Oslo", with: manager) { _ in "?" } }
            #expect(endless == .invalidResponse)
        }
    }

    @Test("The article's tool loop approves one call, refuses another, and finds its answer again")
    func toolLoop() async throws {
        let booked = Locked<[String]>([])
        let tools = try makeTools { city in
            "rain in \(city)"
        } book: { city in
            booked.withLock { $0.append(city) }
        }
        let service = model(
            .calls([
                ToolCall(id: "1", name: "weather", arguments: ["city": "Lima"]),
                ToolCall(id: "2", name: "book_flight", arguments: ["city": "Lima"]),
                ToolCall(id: "3", name: "book_flight", arguments: ["city": "Oslo"]),
            ]), .answer("To Lima."), id: "openai")
        let engine = try Engine(service, tools)
        try await engine.run { [manager = engine.manager] in
            for _ in 0..<2 {
                let answer = try await plan("Where to?", id: "trip", tools: tools, with: manager) { call in
                    call.arguments == ["city": "Lima"]
                }
                #expect(answer == "To Lima.")
            }
        }
        #expect(booked.withLock { $0 } == ["Lima"] && service.record.calls.count == 2)
        #expect(service.lastResults["1"] == "rain in Lima" && service.lastResults["2"] == "booked")
        #expect(service.lastResults["3"]?.contains("The user does not want that.") == true)
    }

    @Test("The article streams the text, then creates sound, image and embedding from the story")
    func media() async throws {
        let text = ScriptedProvider(id: "openai") { call in
            do {
                for piece in ["Once ", "more."] { try await call.yield(piece) }
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.providerFailed, "It cannot be yielded."))
            }
        }
        func answering(_ id: ProviderID, _ content: ResponseContent) -> ScriptedProvider {
            ScriptedProvider(id: id, responseType: content.type) { _ in .success(ProviderAnswer(content)) }
        }
        let engine = try Engine([
            text, answering("elevenlabs", .audio("s", .mp3)), answering("openai.image", .image("p", .png)),
            answering("openai.embedding", .embedding([1])),
        ])
        try await engine.run { [manager = engine.manager] in
            let shown = Locked<[String]>([])
            try await tell("a story", with: manager) { text in shown.withLock { $0.append(text) } }
            #expect(shown.withLock { $0.last } == "Once more.")
            let story = try await illustrate("a story", with: manager)
            #expect(story.sound == "s" && story.picture == "p" && story.vector == [1])
        }
    }

    // MARK: Policies

    @Test("The engine accepts the policies of the article")
    func policies() async throws {
        let providers = [ScriptedProvider(id: "first"), ScriptedProvider(id: "second")]
        let engine = try Engine(providers, configuration: makeConfiguration())
        try await engine.run { [manager = engine.manager, now = engine.dates.now] in
            let request = makeRequest("by tomorrow", before: now.addingTimeInterval(86_400))
            let refusal = await code { _ = try await manager.execute(request, with: "first") }
            #expect(refusal == .budgetExceeded, "the budget for drafts sends nothing of unknown cost")
            let snapshot = try await manager.snapshot(for: request.id)
            #expect(snapshot.awaitsMerge)
        }
    }

    @Test("The article's stream reader shows text as it grows and starts over on a restart")
    func stream() async throws {
        let provider = ScriptedProvider(id: "storyteller") { call in
            do {
                try await call.yield("Once ")
                guard call.attempt > 1 else { return .failure(AIServiceError(.overloaded, "Busy.")) }
                try await call.yield("upon a time")
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.providerFailed, "It stopped."))
            }
        }
        let configuration = EngineConfiguration(retry: RetryPolicy(baseDelay: .zero))
        let engine = try Engine([provider], configuration: configuration)
        let shown = Locked<[String]>([])
        try await engine.run { [manager = engine.manager] in
            try await read("a story", with: manager) { text in shown.withLock { $0.append(text) } }
        }
        #expect(shown.withLock { $0 }.last == "Once upon a time")
        #expect(provider.record.calls.count == 2)
    }

    @Test("A reader that reconnects resumes after its last chunk, without gaps or repetitions")
    func readingOn() async throws {
        struct Closed: Error {}
        let provider = ScriptedProvider(id: "storyteller") { call in
            do {
                for word in ["Once ", "upon ", "a ", "time"] { try await call.yield(word) }
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.providerFailed, "It stopped."))
            }
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "a story in two sittings", streaming: StreamingPolicy())
            let id = try await manager.submit(request, to: "storyteller")
            var (text, place, visits) = ("", StreamPosition.start, 0)
            while text != "Once upon a time" {
                visits += 1
                do {
                    try await resumeReading(id, from: place, with: manager) { piece, next in
                        text += piece
                        place = next
                        throw Closed()
                    } forget: {
                        text = ""
                    }
                } catch is Closed {
                    continue
                }
            }
            #expect(visits > 1)
            try await resumeReading(id, from: place, with: manager) { _, _ in
                Issue.record("It came twice")
            } forget: {
            }
        }
    }

    @Test("The narrator is charged per character, and the budget refuses a request that exceeds it")
    func money() async throws {
        let spoken = Locked(0)
        let narrator = Narrator { words in
            spoken.withLock { $0 += 1 }
            return Data(words.utf8)
        }
        let engine = try Engine([narrator], configuration: try narrationConfiguration())
        let manager = engine.manager
        try await engine.run {
            _ = try await manager.execute(AIRequest(prompt: "four"), with: "narrator")
            #expect(try await narrationCost(with: manager) == ("$0.00006", "$0.00006"))
            let book = AIRequest(prompt: .text(String(repeating: "a", count: 700_000)))
            #expect(await code { _ = try await manager.execute(book, with: "narrator") } == .budgetExceeded)
            #expect(spoken.withLock { $0 } == 1)
            #expect(try await manager.ledger(LedgerQuery()).total.attempts == 1)
            #expect(try await manager.attempts(for: book.id).count == 1)
        }
    }

    // MARK: Running out

    @Test("The article's translation is cached until the glossary changes")
    func caching() async throws {
        let provider = ScriptedProvider(id: "translator")
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            for _ in 0..<3 { _ = try await translation(of: "Guten Tag", with: manager) }
            #expect(provider.record.calls.count == 1)
            try await glossaryChanged(with: manager)
            _ = try await translation(of: "Guten Tag", with: manager)
            #expect(provider.record.calls.count == 2)
        }
    }

    @Test("The article reports an exhausted quota and retries the failed request later")
    func ranOut() async throws {
        let isRich = Locked(false)
        let provider = ScriptedProvider { _ in
            isRich.withLock { $0 }
                ? .success(ProviderAnswer(.text("done"))) : .failure(AIServiceError(.quotaExceeded, "Nothing left."))
        }
        let engine = try Engine([provider])
        try await engine.run { [manager = engine.manager] in
            let id = try await manager.submit(AIRequest(prompt: "for money"), to: "scripted")
            guard case .failed(let error) = try await manager.outcome(of: id) else {
                Issue.record("It did not fail")
                return
            }
            #expect(advice(for: error).contains("Pay"))
            #expect(try await whyItWaits(id, with: manager) == nil)
            isRich.withLock { $0 = true }
            #expect(try await retryWhatRanOut(with: manager) == 1)
            #expect(try await manager.execute(requestID: id).text() == "done")
            #expect(try await retryWhatRanOut(with: manager) == 0)
        }
    }

    @Test("The article shows why a request waits")
    func waiting() async throws {
        let manager = try Engine().manager
        let first = try await manager.submit(AIRequest(prompt: "the first"), to: "scripted")
        let second = try await manager.submit(AIRequest(prompt: "the second"), to: "scripted")
        #expect(try await whyItWaits(first, with: manager) == "0 before it")
        #expect(try await whyItWaits(second, with: manager) == "1 before it")
    }

    // MARK: Guarantees

    @Test("The guarantee articles' code: submit twice, watch, cancel, resample and sum up usage")
    func guarantees() async throws {
        let engine = try Engine([ScriptedProvider(id: "shouter")])
        try await engine.run { [manager = engine.manager] in
            let id = UUID.timeOrdered()
            for _ in 0..<2 { try await order("once", as: id, with: manager) }
            let last = Locked<RequestStatus?>(nil)
            try await watch(id, with: manager) { status in last.withLock { $0 = status } }
            #expect(last.withLock { $0 }?.phase == .completed)
            #expect(try await cancel(id, with: manager) == "It was answered before.")
            let other = try await anotherAnswer(than: id, with: manager)
            #expect(other.requestID != id)
            #expect(try await manager.snapshot(for: other.requestID).supersedes == id)
            #expect(try await bill(with: manager).maybeBilled == 0)
        }
    }

    @Test("Held requests wait for a decision: one is retried and paid again, one is not", arguments: [true, false])
    func held(mayPayTwice: Bool) async throws {
        let provider = ScriptedProvider { call in
            call.attempt > 1
                ? .success(ProviderAnswer(.text("paid"))) : .failure(AIServiceError(.connectionLost, "It was lost."))
        }
        let engine = try Engine([provider])
        try await engine.run { [manager = engine.manager] in
            let request = AIRequest(prompt: .text("held \(mayPayTwice)"), unknownOutcome: .hold)
            let id = try await manager.submit(request, to: "scripted")
            try await engine.expectSoon { try await manager.snapshot(for: id).waiting == .held }
            #expect(try await whyItWaits(id, with: manager)?.contains("your decision") ?? false)
            #expect(try await bill(with: manager).maybeBilled == 1)
            try await settle(with: manager) { _ in mayPayTwice }
            #expect(try await manager.outcome(of: id).phase == (mayPayTwice ? .completed : .cancelled))
        }
    }

    // MARK: Older code

    @Test("Deprecated and current calls give the same answers, and a batch is found again")
    func olderCode() async throws {
        let provider = ScriptedProvider(id: "shouter")
        let engine = try Engine([provider, Echo()])
        try await engine.run { [manager = engine.manager] in
            let newer = try await newerCall(AIRequest(prompt: "newer"), manager: manager)
            #expect(try await newer.text() == "newer")
            for _ in 0..<2 {
                let batch = try await newerBatch(["one", "two"], manager: manager)
                #expect(try await batch[1].text() == "two")
            }
            #expect(try await manager.execute(AIRequest(prompt: "echo"), with: "echo").text() == "echo")
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: ""), with: "echo") } == .invalidRequest)
        }
        #expect(provider.record.calls.count == 3)
    }
}
