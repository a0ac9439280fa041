#if os(macOS) || os(Linux)
import Testing

@testable import HablareProviders

@Suite(.timeLimit(.minutes(5))) struct ProcessGateTests {
    @Test func noMoreThanItsCapacityAreInside() async {
        let gate = ProcessGate(capacity: 3)
        let most = await withTaskGroup(of: Void.self) { group in
            let inside = Crowd()
            for _ in 0..<200 {
                group.addTask {
                    #expect(await gate.enter())
                    await inside.enter()
                    await Task.yield()
                    await inside.leave()
                    gate.leave()
                }
            }
            await group.waitForAll()
            return await inside.most
        }
        #expect((1...3).contains(most))
    }

    @Test func whoIsCancelledWhileWaitingGoesAwayWithoutAPlace() async {
        let gate = ProcessGate(capacity: 1)
        #expect(await gate.enter())
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await gate.enter() } }
            for _ in 0..<10 { await Task.yield() }
            group.cancelAll()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: false, count: 50))
        gate.leave()
        #expect(await gate.enter())
    }

    private actor Crowd {
        private var count = 0
        private(set) var most = 0

        func enter() {
            count += 1
            most = max(most, count)
        }

        func leave() { count -= 1 }
    }
}
#endif
