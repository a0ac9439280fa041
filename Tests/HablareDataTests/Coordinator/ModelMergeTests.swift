import Foundation
import GRDB
import Hablare
import HablareData
import HablareSupport
import HablareTestKit
import Observation
import Testing

@Suite("Merges into models on the main actor")
@MainActor struct ModelMergeTests {
    @Observable @MainActor final class ArticleModel {
        let id: Int64
        var summary = ""
        var note: String?
        var stars = 0

        init(id: Int64 = 1) { self.id = id }

        var write: @Sendable (Database) throws -> Void {
            let record = Article(id: id, title: "Saved", summary: summary, stars: stars)
            return { database in
                var record = record
                try record.save(database)
            }
        }
    }

    private let bench: DataWorkbench
    private let article = ArticleModel()

    init() throws {
        bench = try DataWorkbench()
    }

    private var coordinator: AIDataCoordinator { bench.coordinator }

    @Test("Generating submits a request, awaits its answer and sets a property")
    func generate() async throws {
        let (coordinator, article) = (coordinator, article)
        let summary = try await bench.running { @MainActor in
            try await coordinator.generate(AIRequest(prompt: "Be brief."), into: article, property: \.summary)
        }
        #expect(summary == "Be brief.")
        #expect(article.summary == "Be brief.")
    }

    @Test("A response is merged once into each property of each model")
    func once() async throws {
        let response = response("Hello")
        #expect(try await coordinator.merge(response, into: article, property: \.summary) == .merged)
        article.summary = "Edited"
        #expect(
            try await coordinator.merge(response, into: article, property: \.summary)
                == .alreadyMerged(bench.seams.date()))
        #expect(article.summary == "Edited")
        #expect(try await coordinator.merge(response, into: article, property: \.note) == .merged)
        let other = ArticleModel()
        #expect(try await coordinator.merge(response, into: other, property: \.summary) == .merged)
    }

    @Test("Fifty concurrent merges set a property once")
    func race() async throws {
        let response = response("Hello")
        let coordinator = coordinator
        let article = article
        let merge: @MainActor @Sendable () async throws -> MergeOutcome = {
            try await coordinator.merge(response, into: article, property: \.summary)
        }
        var merged = 0
        try await withThrowingTaskGroup(of: MergeOutcome.self) { group in
            for _ in 0..<50 { group.addTask { try await merge() } }
            for try await outcome in group where outcome == .merged { merged += 1 }
        }
        #expect(merged == 1)
    }

    @Test("Content that does not fit leaves the model unchanged")
    func untouched() async throws {
        article.stars = 3
        let (coordinator, article) = (coordinator, article)
        let mismatch = await mergeCode { @MainActor in
            try await coordinator.merge(response("many"), into: article, property: \.stars)
        }
        let rejected = await mergeCode { @MainActor in
            try await coordinator.merge(response("9"), into: article, property: \.stars, rules: [.value(0...5)])
        }
        #expect(mismatch == .invalidContent)
        #expect(rejected == .rejected)
        #expect(article.stars == 3)
    }

    @Test("The valid responses of a batch are set in one stretch and one event, and each has an outcome")
    func batch() async throws {
        let models = [ArticleModel(id: 1), ArticleModel(id: 2), ArticleModel(id: 3)]
        let responses = [response("1"), response("x"), response("3")]
        var events = coordinator.merges.makeAsyncIterator()
        let outcomes = await coordinator.merge(zip(responses, models).map { ($0, $1) }, property: \.stars)
        #expect(outcomes.map { try? $0.get() } == [.merged, nil, .merged])
        #expect(models.map(\.stars) == [1, 0, 3])
        guard case .willMerge(let keys) = await events.next(), case .mergeFailed(let failed, _) = await events.next()
        else {
            Issue.record("Other events came.")
            return
        }
        #expect(keys.count == 3 && failed == keys[1])
        #expect(await events.next() == .didMerge([keys[0], keys[2]]))
    }

    @Test("A batch that is too large for memory is set completely, in several stretches")
    func largeBatch() async throws {
        let bench = try DataWorkbench(options: AIDataCoordinator.Options(maximumBytesInFlight: 10))
        let models = (0..<5).map { ArticleModel(id: $0) }
        let outcomes = await bench.coordinator.merge(models.map { (response("four"), $0) }, property: \.summary)
        #expect(outcomes.allSatisfy { (try? $0.get()) == .merged })
        #expect(models.allSatisfy { $0.summary == "four" })
    }

    @Test("A closure changes a model once for each name")
    func apply() async throws {
        let response = response("3")
        for expected in [true, false] {
            let outcome = try await coordinator.merge(response, into: article, named: "stars") {
                (article, stars: Int) in
                article.stars += stars
                article.summary = "\(stars) stars"
            }
            #expect((outcome == .merged) == expected)
        }
        #expect(article.stars == 3 && article.summary == "3 stars")
    }

    @Test("A delivery sets the property when the response arrives")
    func delivery() async throws {
        let (coordinator, article, bench) = (coordinator, article, bench)
        try await bench.running { @MainActor in
            let request = AIRequest(prompt: "Later")
            try await bench.manager.submit(request, to: "scripted")
            var events = coordinator.merges.makeAsyncIterator()
            coordinator.deliver(request.id, into: article, property: \.summary)
            while let event = await events.next() { if case .didMerge = event { break } }
        }
        #expect(article.summary == "Later")
    }

    @Test("A delivery does not keep its model alive, and reports that it is gone")
    func goneModel() async throws {
        let gate = Gate()
        let bench = try DataWorkbench(
            provider: ScriptedProvider { _ in
                do {
                    try await gate.pass()
                } catch {
                    return .failure(AIServiceError(.connectionLost, "Cut."))
                }
                return .success(ProviderAnswer("Too late"))
            })
        let coordinator = bench.coordinator
        weak var left: ArticleModel?
        let request = AIRequest(prompt: "x")
        let box = Box()
        box.model = ArticleModel()
        left = box.model
        let code = try await bench.running { @MainActor () async throws -> MergeError.Code? in
            try await bench.manager.submit(request, to: "scripted")
            var events = coordinator.merges.makeAsyncIterator()
            if let model = box.model { coordinator.deliver(request.id, into: model, property: \.summary) }
            box.model = nil
            gate.open()
            while let event = await events.next() {
                if case .mergeFailed(_, let error) = event { return error.code }
            }
            return nil
        }
        #expect(left == nil)
        #expect(code == .modelGone)
    }

    @MainActor private final class Box {
        var model: ArticleModel?
    }

    @Test("A delivery continues after the engine was suspended")
    func deliveryOverRest() async throws {
        let gate = Gate()
        let bench = try DataWorkbench(
            provider: ScriptedProvider { _ in
                do {
                    try await gate.pass()
                } catch {
                    return .failure(AIServiceError(.overloaded, "Cut."))
                }
                return .success(ProviderAnswer("After the rest"))
            })
        let (coordinator, article) = (bench.coordinator, article)
        try await bench.running { @MainActor in
            let request = AIRequest(prompt: "x", maximumAttempts: 3)
            try await bench.manager.submit(request, to: "scripted")
            var events = coordinator.merges.makeAsyncIterator()
            coordinator.deliver(request.id, into: article, property: \.summary)
            await gate.arrivals(reach: 1)
            await bench.manager.suspend(for: .background, grace: .zero)
            bench.manager.resume(from: .background)
            gate.open()
            while let event = await events.next() { if case .didMerge = event { break } }
        }
        #expect(article.summary == "After the rest")
    }

    @Test("A released coordinator cancels its deliveries")
    func coordinatorGone() async throws {
        weak var manager: AIRequestManager?
        weak var coordinator: AIDataCoordinator?
        do {
            let bench = try DataWorkbench()
            (manager, coordinator) = (bench.manager, bench.coordinator)
            let request = AIRequest(prompt: "Never done")
            try await bench.manager.submit(request, to: "scripted")
            bench.coordinator.deliver(request.id, into: article, property: \.summary)
        }
        #expect(coordinator == nil)
        // The delivery's task holds the manager, and ends because it is cancelled.
        for _ in 0..<10_000 where manager != nil { await Task.yield() }
        #expect(manager == nil)
    }

    @Test("The receipts of models stay in proportion to the living models")
    func bounded() async throws {
        for _ in 0..<300 {
            try await coordinator.merge(response("x"), into: ArticleModel(), property: \.summary)
        }
        let shared = response("x")
        for _ in 0..<300 {
            // A new model may have the address of a released one.
            let outcome = try await coordinator.merge(shared, into: ArticleModel(), property: \.summary)
            #expect(outcome == .merged)
        }
        #expect(coordinator.rememberedModels < 10)
        var models: [ArticleModel] = []
        for _ in 0..<300 {
            models.append(ArticleModel())
            try await coordinator.merge(shared, into: models[models.count - 1], property: \.summary)
        }
        for model in models {
            #expect(try await coordinator.merge(shared, into: model, property: \.summary) != .merged)
        }
        models = []
        for _ in 0..<200 { try await coordinator.merge(shared, into: ArticleModel(), property: \.summary) }
        #expect(coordinator.rememberedModels < 10)
    }

    @Test("A cancelled delivery sets nothing, and its request continues")
    func cancelledDelivery() async throws {
        let gate = Gate()
        let bench = try DataWorkbench(provider: gated(gate))
        let (coordinator, article) = (bench.coordinator, article)
        let request = AIRequest(prompt: "x")
        try await bench.running { @MainActor in
            try await bench.manager.submit(request, to: "scripted")
            let delivery = coordinator.deliver(request.id, into: article, property: \.summary)
            await gate.arrivals(reach: 1)
            delivery.cancel()
            gate.open()
            _ = try await bench.manager.execute(requestID: request.id)
            for _ in 0..<100 { await Task.yield() }
        }
        #expect(article.summary == "")
    }

    @Test("Nothing is read for a released model")
    func goneModelReadsNothing() async throws {
        let gate = Gate()
        let bench = try DataWorkbench(provider: gated(gate))
        let coordinator = bench.coordinator
        let request = AIRequest(prompt: "x")
        let isRead = Locked(false)
        let rule = ContentRule("whatever it is") { _ in
            isRead.withLock { $0 = true }
            return true
        }
        try await bench.running { @MainActor in
            try await bench.manager.submit(request, to: "scripted")
            var events = coordinator.merges.makeAsyncIterator()
            coordinator.deliver(request.id, into: ArticleModel(), property: \.summary, rules: [rule])
            gate.open()
            while let event = await events.next() { if case .mergeFailed = event { break } }
        }
        #expect(!isRead.withLock { $0 })
    }

    private func gated(_ gate: Gate) -> ScriptedProvider {
        ScriptedProvider { _ in
            do {
                try await gate.pass()
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut."))
            }
            return .success(ProviderAnswer("There"))
        }
    }

    /// A context whose save waits for a gate.
    private final class SlowContext: MergeContext {
        private let gate: Gate

        init(gate: Gate) { self.gate = gate }

        func dateOfMerge(_ key: MergeKey) async throws -> Date? { nil }
        func save(_ model: ArticleModel, with receipt: MergeKey) async throws -> Date? {
            try await gate.pass()
            return nil
        }
        func row(of model: ArticleModel) -> MergeRow { 1 }
    }

    @Test("Content occupies its memory budget until its model is saved")
    func room() async throws {
        let bench = try DataWorkbench(options: AIDataCoordinator.Options(maximumBytesInFlight: 4))
        let (coordinator, article, gate) = (bench.coordinator, article, Gate())
        let isRead = Locked(false)
        let rule = ContentRule("whatever it is") { _ in
            isRead.withLock { $0 = true }
            return true
        }
        let save: @MainActor @Sendable () async throws -> Void = {
            try await coordinator.merge(
                response("1234"), into: article, property: \.summary, named: "slow", in: SlowContext(gate: gate))
        }
        let other: @MainActor @Sendable () async throws -> Void = {
            try await coordinator.merge(response("5678"), into: article, property: \.note, rules: [rule])
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await save() }
            await gate.arrivals(reach: 1)
            group.addTask { try await other() }
            for _ in 0..<200 { await Task.yield() }
            #expect(!isRead.withLock { $0 })
            gate.open()
            try await group.waitForAll()
        }
        #expect(article.note == "5678")
    }

    @Test("A merge saved by a process that died before its report is reported by the next call")
    func toldLater() async throws {
        let bench = bench
        let coordinator = bench.coordinator
        try await bench.running { @MainActor in
            let request = AIRequest(prompt: "Kept", keepUntilMerged: true)
            let response = try await bench.manager.execute(request, with: "scripted")
            // Saved by a process that died afterwards.
            try await bench.database.write { database in
                try database.execute(
                    sql: "INSERT INTO hablare_receipts (request, target, row, merged_at) VALUES (?, ?, ?, 0)",
                    arguments: [request.id, "article.summary", 1])
            }
            let context = DatabaseMergeContext<ArticleModel>(coordinator, id: { $0.id }, write: { $0.write })
            let outcome = try await coordinator.merge(
                response, into: ArticleModel(), property: \.summary, named: "article.summary", in: context)
            #expect(outcome != .merged)
            try await bench.soon { try await bench.manager.snapshot(for: request.id).awaitsMerge == false }
        }
    }

    @Test("A context saves the model's record and the receipt together, and once across restarts")
    func context() async throws {
        let response = response("Kept")
        let context = DatabaseMergeContext<ArticleModel>(coordinator, id: { $0.id }, write: { $0.write })
        let first = try await coordinator.merge(
            response, into: article, property: \.summary, named: "article.summary", in: context)
        #expect(first == .merged)
        #expect(try await bench.article().summary == "Kept")
        // As after a restart, without receipts in memory.
        let later = try DataWorkbench(database: bench.database)
        let fresh = ArticleModel()
        fresh.summary = "Edited"
        let laterContext = DatabaseMergeContext<ArticleModel>(later.coordinator, id: { $0.id }, write: { $0.write })
        let second = try await later.coordinator.merge(
            response, into: fresh, property: \.summary, named: "article.summary", in: laterContext)
        #expect(second == .alreadyMerged(bench.seams.date()))
        #expect(fresh.summary == "Edited")
    }

    @Test("A failed save leaves no receipt, and another call saves the model with later edits")
    func contextFails() async throws {
        let response = response("forbidden")
        let context = DatabaseMergeContext<ArticleModel>(coordinator, id: { $0.id }, write: { $0.write })
        let (coordinator, article) = (coordinator, article)
        let code = await mergeCode { @MainActor in
            let name = "article.summary"
            try await coordinator.merge(response, into: article, property: \.summary, named: name, in: context)
        }
        #expect(code == .databaseFailed)
        #expect(try await bench.receipts() == 0)
        #expect(try await bench.article().summary == nil)
        article.summary = "Edited"
        let again = try await coordinator.merge(
            response, into: article, property: \.summary, named: "article.summary", in: context)
        #expect(again == .merged)
        #expect(try await bench.article().summary == "Edited")
        #expect(try await bench.receipts() == 1)
    }

    @Test("A merge without a context is saved when a later call has a context")
    func contextLater() async throws {
        let response = response("Kept")
        let context = DatabaseMergeContext<ArticleModel>(coordinator, id: { $0.id }, write: { $0.write })
        try await coordinator.merge(response, into: article, property: \.summary)
        let outcome = try await coordinator.merge(
            response, into: article, property: \.summary, named: "article.summary", in: context)
        #expect(outcome == .merged)
        #expect(try await bench.article().summary == "Kept")
    }

    @Test("Of two concurrent saves of one row, one takes effect, and no edit is lost")
    func contextRace() async throws {
        let response = response("Kept")
        let key = MergeKey(requestID: response.requestID, target: "article.summary", row: 1)
        let context = DatabaseMergeContext<ArticleModel>(coordinator, id: { $0.id }, write: { $0.write })
        #expect(try await context.save(article, with: key) == nil)
        try await bench.change { $0.summary = "Edited by hand" }
        let other = ArticleModel()
        #expect(try await context.save(other, with: key) == bench.seams.date())
        #expect(try await bench.article().summary == "Edited by hand")
    }

    @Test("A request without a provider fails before anything is submitted")
    func nobody() async throws {
        let bench = try DataWorkbench(options: AIDataCoordinator.Options())
        do {
            _ = try await bench.coordinator.generate(AIRequest(prompt: "x"), into: article, property: \.summary)
            Issue.record("Nothing failed")
        } catch let error as AIServiceError {
            #expect(error.code == .invalidConfiguration)
        }
    }
}
