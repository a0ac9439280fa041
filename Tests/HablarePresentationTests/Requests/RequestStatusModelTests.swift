import Foundation
import Hablare
import HablarePresentation
import HablareTestKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct RequestStatusModelTests {
    @Test("A request's states are idle, waiting, running, and done with its text, and then the watch ends")
    func life() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        let request = AIRequest(prompt: "hello")
        let model = scene.model(request.id)
        #expect(model.state == .idle)
        try await scene.manager.submit(request, to: "scripted")
        model.start()
        #expect(model.isWatching)
        try await until { if case .waiting = model.state { true } else { false } }
        try await scene.run {
            try await until { model.isRunning }
            gate.open()
            try await until { model.state.isFinal }
            await model.settled()
        }
        guard case .done(let result) = model.state else { throw Unexpected(model.state) }
        #expect(result.contentType == .text)
        #expect(result.text == "hello")
        #expect(!model.isWatching)
        #expect(model.problem == nil)
        #expect(!model.state.canRetry)
        #expect(!model.state.canCancel)
    }

    @Test("A final request is shown in its state, and the watch ends")
    func late() async throws {
        let scene = try RequestScene(ScriptedProvider())
        try await scene.run {
            let response = try await scene.manager.execute(AIRequest(prompt: "hello"), with: "scripted")
            let model = scene.model(response.requestID)
            await model.watch()
            guard case .done(let result) = model.state else { throw Unexpected(model.state) }
            #expect(result.text == "hello")
            #expect(!model.isWatching)
        }
    }

    @Test("A waiting request shows the number of requests ahead, and its changes")
    func place() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate, concurrency: 1))
        try await scene.run {
            let requests = (0..<4).map { AIRequest(prompt: "request \($0)") }
            for request in requests { try await scene.manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            let model = scene.model(requests[3].id)
            model.start()
            @MainActor func ahead() -> Int? {
                if case .waiting(let waiting) = model.state { waiting.ahead } else { nil }
            }
            try await until(passing: scene.clock) { ahead() == 2 }
            gate.admitOne()
            try await until(passing: scene.clock) { ahead() == 1 }
            gate.open()
            try await until(passing: scene.clock) { model.state.isFinal }
            await model.settled()
        }
    }

    @Test("The streamed text and the provider's progress are shown as they arrive")
    func streamed() async throws {
        let gate = Gate()
        let provider = ScriptedProvider { call in
            do {
                try await call.yield("Once upon ")
                try await gate.pass()
                call.report(progress: 0.5)
                try await gate.pass()
                try await call.yield("a time")
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.connectionLost, "It was cut."))
            }
        }
        let scene = try RequestScene(provider)
        try await scene.run {
            let model = try await scene.watched(AIRequest(prompt: "tell", streaming: StreamingPolicy()))
            // The engine does not keep a progress that is reported before the first watch.
            try await until(passing: scene.clock) {
                guard case .running(nil, let partial?) = model.state else { return false }
                return partial.text == "Once upon "
            }
            gate.admitOne()
            try await until(passing: scene.clock) {
                guard case .running(let progress, let partial?) = model.state else { return false }
                return partial.text == "Once upon " && progress == 0.5
            }
            gate.open()
            try await until(passing: scene.clock) { model.state.isFinal }
            await model.settled()
            guard case .done(let result) = model.state else { throw Unexpected(model.state) }
            #expect(result.text == "Once upon a time")
        }
    }

    @Test("A failed request shows the reason, keeps the partial text, and offers a useful retry")
    func failed() async throws {
        let provider = ScriptedProvider { call in
            do {
                if call.attempt == 1 { try await call.yield("Once ") }
            } catch {
                return .failure(AIServiceError(.connectionLost, "It was cut."))
            }
            guard call.attempt == 1 else { return .success(ProviderAnswer(.text("there you are"))) }
            return .failure(AIServiceError(.quotaExceeded, "Pay your bill."))
        }
        let scene = try RequestScene(provider)
        try await scene.run {
            let model = try await scene.watched(
                AIRequest(prompt: "tell", streaming: StreamingPolicy(allowsRestart: true)))
            try await until(passing: scene.clock) { model.state.isFinal && !model.isWatching }
            guard case .failed(let failure) = model.state else { throw Unexpected(model.state) }
            #expect(failure.message == "Pay your bill.")
            #expect(failure.retry == .afterUserAction)
            #expect(failure.partial?.text == "Once ")
            #expect(model.state.canRetry)
            model.retry()
            try await until(passing: scene.clock) { if case .done = model.state { !model.isWatching } else { false } }
            guard case .done(let result) = model.state else { throw Unexpected(model.state) }
            #expect(result.text == "there you are")
            #expect(model.problem == nil)
        }
    }

    @Test("A cancelled request is shown as cancelled, and the watch ends")
    func cancelled() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        try await scene.run {
            let model = try await scene.watched()
            try await until { model.isRunning }
            #expect(model.state.canCancel)
            model.cancel()
            try await until { model.state == .cancelled }
            await model.settled()
            #expect(model.state.canRetry)
            #expect(!model.isWatching)
        }
    }

    @Test("A request waits after the engine shuts down, and can be watched again")
    func suspended() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        let request = AIRequest(prompt: "hello")
        let model = scene.model(request.id)
        try await scene.run {
            try await scene.manager.submit(request, to: "scripted")
            model.start()
            try await until { model.isRunning }
        }
        await model.settled()
        #expect(model.state == .waiting(RequestWaiting(.suspended)))
        #expect(model.problem == nil)
        #expect(!model.isWatching)
        gate.open()
        try await scene.run {
            await model.watch()
            guard case .done = model.state else { throw Unexpected(model.state) }
        }
    }

    @Test("An unknown request is a problem, not a state")
    func unknown() async throws {
        let scene = try RequestScene(ScriptedProvider())
        let model = scene.model(UUID())
        await model.watch()
        #expect(model.state == .idle)
        #expect(model.problem?.contains("No request has the UUID") ?? false)
        model.retry()
        await model.settled()
        #expect(model.problem != nil)
    }

    @Test("A cancelled watch ends, and the request continues")
    func watcherCancelled() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        try await scene.run {
            let request = AIRequest(prompt: "hello")
            try await scene.manager.submit(request, to: "scripted")
            let model = scene.model(request.id)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await model.watch() }
                while !model.isWatching { await Task.yield() }
                await gate.arrivals(reach: 1)
                group.cancelAll()
            }
            #expect(!model.isWatching)
            #expect(model.problem == nil)
            #expect(!model.state.isFinal)
            gate.open()
            let text = try await scene.manager.execute(requestID: request.id).text()
            #expect(text == "hello")
        }
    }

    @Test("A stopped watch shows nothing more, and a watch does not keep its model alive")
    func stopped() async throws {
        let gate = Gate()
        let scene = try RequestScene(.gated(gate))
        try await scene.run {
            let model = try await scene.watched()
            await gate.arrivals(reach: 1)
            model.stop()
            #expect(!model.isWatching)
            let state = model.state
            weak var gone: RequestStatusModel?
            do {
                let other = scene.model(model.id)
                other.start()
                gone = other
                try await until { other.state != .idle }
            }
            #expect(gone == nil)
            gate.open()
            _ = try await scene.manager.execute(requestID: model.id)
            for _ in 0..<50 { await Task.yield() }
            #expect(model.state == state)
        }
    }

    @Test("A listener gets the newest state, and always the last one")
    func listened() async throws {
        let scene = try RequestScene(ScriptedProvider())
        try await scene.run {
            let model = try await scene.watched()
            for await state in model.states() where state.isFinal {
                if case .done(let result) = state, result.text != nil { break }
            }
            await model.settled()
        }
    }
}
