import Foundation
import Hablare
import HablarePresentation
import HablarePresentationTestKit
import HablareSupport
import HablareTestKit
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Tests of the code in the articles.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct ArticleTests {
    @Test("A model shows what its adapter loads")
    func model() async {
        let (model, adapter) = makeGreeting { "hello" }
        adapter.load()
        #expect(model.state == .loading(previous: nil))
        await adapter.settled()
        #expect(model.state == .loaded("hello"))
    }

    @Test("A screen behind a proxy shows the loaded value, and is released")
    func screen() async throws {
        weak var gone: GreetingScreen?
        do {
            let screen = GreetingScreen { 7 }
            gone = screen
            screen.refresh()
            #expect(screen.isBusy)
            while screen.isBusy { await Task.yield() }
            #expect(screen.text == "Hello, number 7")
            #expect(screen.problem == nil)
        }
        #expect(gone == nil)
    }

    @Test("A request is shown in words, and in a web view through a failure to its text")
    func web() async throws {
        let provider = ScriptedProvider { call in
            guard call.attempt > 1 else { return .failure(AIServiceError(.quotaExceeded, "Pay your bill.")) }
            return .success(ProviderAnswer(.text("there you are")))
        }
        let scene = try RequestScene(provider)
        try await scene.run {
            let request = AIRequest(prompt: "hello")
            try await scene.manager.submit(request, to: "scripted")
            let model = watched(request.id, by: scene.manager)
            let scripts = Locked<[String]>([])
            func count(of phase: String) -> Int {
                scripts.withLock { $0.count { $0.contains("\"phase\":\"\(phase)\"") } }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await show(model) { script in scripts.withLock { $0.append(script) } } }
                try await until { count(of: "failed") > 0 }
                #expect(words(for: model.state) == "Pay your bill.")
                await model.settled()
                model.retry()
                try await until { count(of: "done") > 0 }
                await model.settled()
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(count(of: "done") == 1)
            #expect(scripts.withLock { $0.last?.contains("there you are") } ?? false)
            #expect(words(for: model.state) == "there you are")
        }
    }

    @Test("A callback and a publisher become async functions")
    func bridges() async throws {
        #expect(try await answer(of: CallbackService()) == "forty-two")
        #expect(try await publishedAndBack { "hello" } == "hello")
    }

    @Test("A queue is committed after a pause")
    func commit() {
        let scheduler = TestScheduler()
        let subject = PassthroughSubject<Int, Never>()
        var commits: [Int] = []
        let subscription = subscribe(subject, scheduler) { commits.append($0) }
        for value in [1, 1, 2] { subject.send(value) }
        scheduler.advance(by: .milliseconds(500))
        #expect(commits == [2])
        subscription.cancel()
    }

    private func subscribe(
        _ subject: PassthroughSubject<Int, Never>, _ scheduler: TestScheduler, _ commit: @escaping (Int) -> Void
    ) -> AnyCancellable {
        commits(of: subject, on: scheduler, commit: commit)
    }
}
