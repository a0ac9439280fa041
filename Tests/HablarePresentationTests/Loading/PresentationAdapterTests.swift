import Hablare
import HablarePresentation
import HablarePresentationTestKit
import HablareTestKit
import Testing

/// Tests of the adapter beyond the contract for loads.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct PresentationAdapterTests {
    private let view = ViewRecorder()
    private let loads = ScriptedLoads()

    private func adapter(_ policy: LoadPolicy) -> PresentationAdapter<String> {
        PresentationAdapter(presenter: ResourcePresenter(view: view), policy: policy) { [loads] in
            try await loads.load()
        }
    }

    @Test("The adapter shows at once whether it is loading", arguments: LoadPolicy.allCases)
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

    @Test("The adapter loads with another function if it is given one")
    func anotherWay() async {
        let adapter = adapter(.cancelPrevious)
        adapter.load { "another way" }
        await adapter.settled()
        #expect(view.resources == ["another way"])
        #expect(loads.count == 0)
    }

    @Test("A view that cancels when loading begins sees only the end of loading")
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
        "A view that cancels and requests another load when loading begins gets that load",
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

    @Test("A request during the message of a cancellation replaces an earlier request")
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

    @Test("A view that requests another load and cancels it when loading begins gets nothing")
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

    @Test("The last of several requests during a message counts")
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

    @Test("Random requests show the result of the last one, and no cancelled one", arguments: Seeds.choose(20))
    func random(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let view = ViewRecorder()
        let loads = ScriptedLoads()
        let adapter = PresentationAdapter<String>(
            presenter: ResourcePresenter(view: view), policy: .cancelPrevious
        ) { try await loads.load() }
        // The number of started loads, and the results that may be shown.
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
