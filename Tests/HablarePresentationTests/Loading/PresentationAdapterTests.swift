import Hablare
import HablarePresentation
import HablarePresentationTestKit
import HablareTestKit
import Testing

/// What the contract for loads does not say of the adapter.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct PresentationAdapterTests {
    private let view = ViewRecorder()
    private let loads = ScriptedLoads()

    private func adapter(_ policy: LoadPolicy) -> PresentationAdapter<String> {
        PresentationAdapter(presenter: ResourcePresenter(view: view), policy: policy) { [loads] in
            try await loads.load()
        }
    }

    @Test("Whether it is loading can be seen at once", arguments: LoadPolicy.allCases)
    func isLoading(_ policy: LoadPolicy) async {
        let adapter = adapter(policy)
        #expect(!adapter.isLoading)
        adapter.load()
        #expect(adapter.isLoading)
        adapter.cancel()
        #expect(!adapter.isLoading)
        loads.answer(1, "late")
        await adapter.settled()
        #expect(view.resources.isEmpty)
    }

    @Test("It loads in another way when it is given one")
    func anotherWay() async {
        let adapter = adapter(.cancelPrevious)
        adapter.load { "another way" }
        await adapter.settled()
        #expect(view.resources == ["another way"])
        #expect(loads.count == 0)
    }

    @Test("A view that cancels when it is told of loading sees the end of it, and nothing else")
    func cancelledByView() async {
        let adapter = adapter(.ignoreWhileLoading)
        view.reaction = { if $0 == .loading(true) { adapter.cancel() } }
        adapter.load()
        #expect(!adapter.isLoading)
        loads.answer(1, "late")
        await adapter.settled()
        #expect(view.events == [.error(nil), .loading(true), .loading(false)])
        view.reaction = nil
    }

    @Test(
        "A view that cancels and wants something else when it is told of loading gets that",
        arguments: LoadPolicy.allCases)
    func cancelledForAnother(_ policy: LoadPolicy) async {
        let adapter = adapter(policy)
        view.reaction = { [view] event in
            guard event == .loading(true) else { return }
            view.reaction = nil
            adapter.load { "cancelled, too" }
            adapter.cancel()
            adapter.load { "not the last" }
            adapter.load { "another" }
        }
        adapter.load()
        loads.answer(1, "late")
        await adapter.settled()
        #expect(view.resources == ["another"])
        #expect(!view.isLoading)
    }

    @Test("A wish of a view that is told of its cancellation counts more than what it wanted before")
    func wishOnCancellation() async {
        let adapter = adapter(.ignoreWhileLoading)
        view.reaction = { [view] event in
            if event == .loading(true) {
                adapter.cancel()
                adapter.load { "before" }
            } else if event == .loading(false) {
                view.reaction = nil
                adapter.load { "after" }
            }
        }
        adapter.load()
        loads.answer(1, "late")
        await adapter.settled()
        #expect(view.resources == ["after"])
    }

    @Test("A view that wants something else, and then nothing, when it is told of loading gets nothing")
    func cancelledAfterAnother() async {
        let adapter = adapter(.cancelPrevious)
        view.reaction = { [view] event in
            guard event == .loading(true) else { return }
            view.reaction = nil
            adapter.cancel()
            adapter.load { "another" }
            adapter.cancel()
        }
        adapter.load()
        loads.answer(1, "late")
        await adapter.settled()
        #expect(view.events == [.error(nil), .loading(true), .loading(false)])
    }

    @Test("Of several wishes while a view is told something the last one counts")
    func lastWish() async {
        let adapter = adapter(.cancelPrevious)
        view.reaction = { event in
            guard event == .resource("one") else { return }
            adapter.load { "two" }
            adapter.load { "three" }
        }
        adapter.load { "one" }
        await adapter.settled()
        #expect(view.resources == ["one", "three"])
        #expect(!view.isLoading)
        view.reaction = nil
    }

    @Test("Random wishes show what the last one brings, and nothing that was cancelled", arguments: Seeds.choose(20))
    func random(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let view = ViewRecorder()
        let loads = ScriptedLoads()
        let adapter = PresentationAdapter<String>(
            presenter: ResourcePresenter(view: view), policy: .cancelPrevious
        ) { try await loads.load() }
        // Loads by number, in the order they began; those that may be shown.
        var begun = 0
        var expected: [String] = []
        for _ in 0..<30 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                adapter.load()
                begun += 1
                while loads.count < begun { await Task.yield() }
            case 2:
                adapter.cancel()
            default:
                guard adapter.isLoading else { continue }
                loads.answer(begun, "load \(begun)")
                expected.append("load \(begun)")
                while adapter.isLoading { await Task.yield() }
            }
        }
        adapter.cancel()
        for number in 0..<begun { loads.answer(number + 1, "late \(number + 1)") }
        await adapter.settled()
        #expect(view.resources == expected, "seed \(seed)")
        #expect(!view.isLoading, "seed \(seed)")
        #expect(view.messages.allSatisfy { $0 == nil }, "seed \(seed)")
    }
}
