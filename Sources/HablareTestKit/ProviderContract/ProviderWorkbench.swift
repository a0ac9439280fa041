import Foundation
import Hablare
import HablareStores
import HablareSupport
import Logging

/// The operations that the rules of ``ProviderContract`` use to test a stage.
struct ProviderWorkbench: Sendable {
    let stage: any ProviderStage
    let clock: any Clock<Duration>
    let timeout: Duration
    /// The recorder of the process's log messages, or `nil` if there is none.
    let log: LogRecorder?

    /// The first of the provider's modes.
    var mode: ProviderMode { stage.modes.first ?? .whole }

    /// Calls the provider without an engine. Checks that a failure contains no secrets.
    ///
    /// - Parameters:
    ///   - timeout: The timeout that the provider receives.
    ///   - take: A function that receives each yielded piece, after the piece was recorded.
    func call(
        _ number: Int, _ mode: ProviderMode, on scene: any ProviderScene, timeout: Duration = .seconds(600),
        taking take: @escaping @Sendable (Data) async throws -> Void = { _ in }
    ) async throws -> ContractCall {
        let yielded = Locked(Data())
        let limits = Locked<ReportedLimits?>(nil)
        let call = ProviderCall(
            request: stage.request(ProviderContract.prompt(number), mode), timeout: timeout,
            limits: { reported in limits.withLock { $0 = reported } },
            chunks: { piece in
                yielded.withLock { $0.append(piece) }
                try await take(piece)
            })
        let result = await scene.provider.generate(call)
        let made = ContractCall(
            number: number, mode: mode, result: Self.asTaken(result, yielded.withLock { $0 }),
            yielded: yielded.withLock { $0 },
            limits: limits.withLock { $0 })
        try requireDiscretion(made)
        return made
    }

    /// Returns the result of a call as an engine would accept it. An engine refuses yielded text that is not valid
    /// UTF-8.
    private static func asTaken(
        _ result: Result<ProviderAnswer, AIServiceError>, _ yielded: Data
    ) -> Result<ProviderAnswer, AIServiceError> {
        guard case .success(let answer) = result, answer.isStreamed, answer.content.type == .text,
            String(validating: yielded, as: UTF8.self) == nil
        else { return result }
        return .failure(AIServiceError(.invalidResponse, "The text is not UTF-8."))
    }

    /// Returns the result of an operation. If the operation takes too long, stops the service, so that all waits end.
    ///
    /// - Throws: The error of the operation, or a ``ContractViolation`` if it takes too long.
    func soon<R: Sendable>(
        _ what: String, on scene: any ProviderScene, file: String = #fileID, line: Int = #line,
        _ operation: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await clock.sleep(for: timeout)
                return nil
            }
            let first = try await group.next()
            group.cancelAll()
            if let result = first ?? nil { return result }
            await scene.end()
            throw ContractViolation(message: "\(what): not within \(timeout)", location: "\(file):\(line)")
        }
    }

    /// Calls the provider, and cancels the call after an event.
    func call(
        _ number: Int, _ mode: ProviderMode, on scene: any ProviderScene,
        taking take: @escaping @Sendable (Data) async throws -> Void = { _ in },
        cancelledAfter reached: @escaping @Sendable () async throws -> Void
    ) async throws -> ContractCall {
        try await soon("the end of a cancelled call", on: scene) {
            try await withThrowingTaskGroup(of: ContractCall.self) { group in
                group.addTask { try await call(number, mode, on: scene, taking: take) }
                try await reached()
                group.cancelAll()
                return try require("the call", try await group.next())
            }
        }
    }

    /// Throws a violation unless the client ended a call before the service had sent the whole answer.
    func requireLeft(
        _ number: Int, on scene: any ProviderScene, file: String = #fileID, line: Int = #line
    ) async throws {
        let ending = try await soon("the end of the transfer", on: scene, file: file, line: line) {
            await scene.ending(ofCall: number)
        }
        try require(
            "the provider closed the connection before the end of the answer", ending.wasLeft, file: file, line: line)
    }

    /// Makes several calls. Only a small number of them runs at the same time.
    func calls(
        _ numbers: some Collection<Int> & Sendable, _ mode: ProviderMode, on scene: any ProviderScene,
        atOnce width: Int = 8,
        _ check: @escaping @Sendable (ContractCall) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var remainder = Array(numbers)[...]
            func begin() {
                guard let number = remainder.popFirst() else { return }
                group.addTask {
                    let made = try await soon("the end of call \(number), \(mode)", on: scene) {
                        try await call(number, mode, on: scene)
                    }
                    try await check(made)
                }
            }
            for _ in 0..<width { begin() }
            while try await group.next() != nil { begin() }
        }
    }

    // MARK: In an engine

    /// Runs an engine with the provider. The engine's clock does not advance by itself.
    func withEngine<R: Sendable>(
        on scene: any ProviderScene, clock: ManualClock = ManualClock(), log: LogRecorder = LogRecorder(),
        _ body: @escaping @Sendable (AIRequestManager) async throws -> R
    ) async throws -> R {
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([scene.provider]),
            configuration: EngineConfiguration(retry: .never, breaker: .never), seams: .controlled(by: clock),
            logger: log.logger)
        return try await soon("the run of an engine", on: scene) {
            try await EngineService.run(manager) { try await body(manager) }
        }
    }

    /// Runs an operation. Meanwhile the engine's clock is advanced by one second in each millisecond.
    func running<R: Sendable>(
        _ clock: ManualClock, while operation: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                while true {
                    try await self.clock.sleep(for: .milliseconds(1))
                    clock.advance(by: .seconds(1))
                }
            }
            let result = try await group.next() ?? nil
            group.cancelAll()
            return try require("the awaited value", result)
        }
    }

    // MARK: Secrets

    /// Throws a violation if a failure contains a prompt or a key, or if the metadata of an answer contains a key.
    private func requireDiscretion(_ call: ContractCall) throws {
        switch call.result {
        case .failure(let error):
            let told = "\(error.message) \(error.cause ?? "") \(error.code.rawValue) \(String(reflecting: error))"
            try requireNoKey("the error", told)
            try requireNoPrompt("the error", told)
        case .success(let answer):
            try requireNoKey("the metadata", "\(answer.metadata)")
        }
    }

    /// Throws a violation if a text contains a key.
    func requireNoKey(_ what: String, _ text: String) throws {
        let text = text.lowercased()
        for key in stage.keys {
            try require("\(what) contains no key", !text.contains(key.lowercased()))
        }
    }

    /// Throws a violation if a text contains words that occur only in prompts.
    func requireNoPrompt(_ what: String, _ text: String) throws {
        let isThere = text.contains(ProviderContract.rareWord) || ProviderContract.number(in: text) != nil
        try require("\(what) contains no prompt", !isThere)
    }
}
