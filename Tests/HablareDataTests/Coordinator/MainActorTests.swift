import Foundation
import GRDB
import Hablare
import HablareData
import HablareSupport
import HablareTestKit
import Testing

@Suite("Work off the main actor")
@MainActor struct MainActorTests {
    private final class Model {
        var text = ""
        var number = 0
    }

    /// A record of forbidden work on the main thread.
    private final class Watch: Sendable {
        private struct State: Sendable {
            var seen = 0
            var onMain: [String] = []
        }

        private let state = Locked(State())

        func note(_ what: String) {
            let isMain = MainQueue.isCurrent || Thread.isMainThread
            state.withLock { state in
                state.seen += 1
                if isMain { state.onMain.append(what) }
            }
        }

        var onMain: [String] { state.withLock { $0.onMain } }
        var seen: Int { state.withLock { $0.seen } }
    }

    /// Content in a file, whose reads are recorded.
    private struct Watched: ContentReading {
        let watch: Watch

        func read(_ reference: ContentReference) throws -> Data {
            watch.note("read")
            return Data("7".utf8)
        }
        func location(of reference: ContentReference) -> URL? { nil }
    }

    @Test(
        "Reading, rules, conversion and SQL run off the main actor for every call from it"
    )
    func elsewhere() async throws {
        let watch = Watch()
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            database.trace { _ in watch.note("SQL") }
        }
        let bench = try DataWorkbench(database: try DatabaseQueue(configuration: configuration))
        // The watch detects work on this actor. On Linux it does not detect SQL, which the database's own queue runs on
        // any thread.
        watch.note("here")
        #expect(watch.onMain.last == "here")
        let opened = watch.onMain.count
        let coordinator = bench.coordinator
        let body = Body(
            ContentReference(digest: Data(repeating: 1, count: 32), byteCount: 1), in: Watched(watch: watch))
        func stored() -> AIResponseData { response(.text(body)) }
        let rule = ContentRule("whatever it is") { _ in
            watch.note("rule")
            return true
        }
        let model = Model()
        try await coordinator.merge(stored(), into: Article.self, id: 1, column: \.summary, rules: [rule])
        try await coordinator.merge(stored(), into: Article.self, id: 1, column: \.title, as: String.self) { text in
            watch.note("transform")
            return text
        }
        try await coordinator.merge(stored(), into: Article.self, id: 1, property: \.stars, named: "stars")
        try await coordinator.create(Note.self, from: stored(), named: "note") { (text: String, _) in
            watch.note("make")
            return Note(text: text)
        }
        _ = await coordinator.merge([(stored(), 1), (stored(), 2)], into: .column(Article.self, { $0.audio }))
        try await coordinator.merge(stored(), into: model, property: \.number, rules: [rule])
        _ = await coordinator.merge([(stored(), model)], property: \.text)
        try await coordinator.persistResponse(stored())
        let context = DatabaseMergeContext<Model>(coordinator, id: { _ in 3 }) { model in
            let text = model.text
            return { _ = try Article.filter(key: 3).updateAll($0) { $0.summary.set(to: text) } }
        }
        try await coordinator.merge(stored(), into: model, property: \.text, named: "text", in: context)
        try await coordinator.submit(AIRequest(prompt: "x"), mergingInto: "note", row: .new)
        _ = try await coordinator.pendingMerges()
        _ = try await coordinator.forgetReceipts(before: bench.seams.date())
        #expect(Array(watch.onMain.dropFirst(opened)) == [])
        #expect(watch.seen > 50)
        #expect(model.number == 7)
    }
}
