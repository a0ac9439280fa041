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
    @Test("A request's statuses are published on the main queue, from the present one to the final one, then the end")
    func statuses() async throws {
        let gate = Gate()
        let scene = try RequestScene(
            ScriptedProvider { call in
                do { try await gate.pass() } catch { return .failure(AIServiceError(.connectionLost, "It was cut.")) }
                return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
            })
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

    @Test("A request that nobody knows fails, and the engine's end is told")
    func failures() async throws {
        let gate = Gate()
        let scene = try RequestScene(
            ScriptedProvider { _ in
                do { try await gate.pass() } catch { return .failure(AIServiceError(.connectionLost, "It was cut.")) }
                return .success(ProviderAnswer(.text("x")))
            })
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

    @Test("Who leaves is not told any more, and the request goes on")
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
