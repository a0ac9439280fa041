import Foundation
import Hablare
import HablarePresentation
import HablareTestKit
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@MainActor
@Suite(.timeLimit(.minutes(2))) struct StatusPublisherTests {
    @Test("A request's statuses are published on the main queue, from the current to the final one, then the end")
    func statuses() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        try await scene.run {
            let request = AIRequest(prompt: "hello")
            try await scene.manager.submit(request, to: "scripted")
            var phases: [RequestPhase] = []
            var isOver = false
            var isMain = true
            let subscription = scene.manager.statusPublisher(for: request.id).sink(
                receiveCompletion: { _ in isOver = true },
                receiveValue: {
                    isMain = isMain && MainQueue.isCurrent
                    phases.append($0.phase)
                })
            try await until { phases.contains(.executing) }
            gate.open()
            try await until { isOver }
            #expect(phases.last == .completed)
            #expect(isMain)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("An unknown request fails, and so does a request of an engine that ends")
    func failures() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        await #expect(throws: AIServiceError.self) {
            try await scene.manager.statusPublisher(for: UUID()).firstValue()
        }
        let request = AIRequest(prompt: "hello")
        let errors = Errors()
        try await scene.run {
            try await scene.manager.submit(request, to: "scripted")
            errors.watch(scene.manager.statusPublisher(for: request.id))
            await gate.arrivals(reach: 1)
        }
        try await until { errors.last != nil }
        #expect((errors.last as? AIServiceError)?.code == .suspended)
    }

    @Test("A later demand gets the status of that moment, not an earlier one")
    func newest() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        let request = AIRequest(prompt: "hello")
        try await scene.manager.submit(request, to: "scripted")
        let sparing = Sparing()
        scene.manager.statusPublisher(for: request.id).subscribe(sparing)
        sparing.subscription?.request(.max(1))
        try await until { sparing.phases == [.pending] }
        try await scene.run {
            await gate.arrivals(reach: 1)
            gate.open()
            _ = try await scene.manager.execute(requestID: request.id)
            sparing.subscription?.request(.max(1))
            try await until { sparing.phases.count == 2 }
            #expect(sparing.phases == [.pending, .completed])
            #expect(!sparing.isOver)
            sparing.subscription?.request(.max(1))
            try await until { sparing.isOver }
        }
    }

    @Test("A cancelled subscription receives nothing more, and the request continues")
    func leaves() async throws {
        let scene = try RequestScene(ScriptedProvider())
        try await scene.run {
            let request = AIRequest(prompt: "hello")
            var count = 0
            let subscription = scene.manager.statusPublisher(for: request.id).sink(
                receiveCompletion: { _ in count += 1 }, receiveValue: { _ in count += 1 })
            subscription.cancel()
            let text = try await scene.manager.execute(request, with: "scripted").text()
            #expect(text == "hello")
            for _ in 0..<50 { await Task.yield() }
            #expect(count == 0)
        }
    }

    /// A subscriber without a demand of its own.
    private final class Sparing: Subscriber {
        var subscription: (any Subscription)?
        var phases: [RequestPhase] = []
        var isOver = false

        func receive(subscription: any Subscription) { self.subscription = subscription }
        func receive(_ input: RequestStatus) -> Subscribers.Demand {
            phases.append(input.phase)
            return .none
        }
        func receive(completion: Subscribers.Completion<any Error>) { isOver = true }
    }

    @MainActor private final class Errors {
        var last: (any Error)?
        private var subscription: AnyCancellable?

        func watch(_ publisher: AnyPublisher<RequestStatus, any Error>) {
            subscription = publisher.sink(
                receiveCompletion: { [weak self] in if case .failure(let error) = $0 { self?.last = error } },
                receiveValue: { _ in })
        }
    }
}
