import Foundation
import Hablare

/// Has several answers made side by side, or such as must satisfy a schema, on a manager whose engine is running.
struct AnswersRun: Sendable {
    /// What became of one request.
    struct Answer: Sendable {
        /// The request that was asked.
        let request: UUID
        /// How it ended.
        let ending: Ending
    }

    enum Ending: Sendable {
        /// With the answer of a request: its own, or where a schema wanted it mended, its last repair's; then with the
        /// value.
        case complete(by: UUID, value: ParameterValue?, repairs: Int?)
        /// As the store says: failed, cancelled, held.
        case unfinished
        /// With an answer that is not as the schema wants it, and could not be mended.
        case unsuitable(AIServiceError)
    }

    /// In order.
    let requests: [AIRequest]
    let provider: ProviderID
    /// Has an answer made that is as a schema wants it; `nil` where none wants anything.
    let judge: SchemaJudge?
    /// What the requests are stored under, so that this process runs them, their repairs, and nothing else.
    let job: JobKey
    let manager: AIRequestManager
    let lookout: Lookout

    /// Runs until each request is final or held. Cancelling the task leaves them in the store.
    ///
    /// - Returns: What became of each, in order.
    /// - Throws: `AIServiceError` where they cannot be stored, or the store fails; `CancellationError`.
    func run() async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer)?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await lookout.run()
                return nil
            }
            if judge == nil { _ = try await manager.submit(requests, to: provider, jobKey: job) }
            for (place, request) in requests.enumerated() {
                group.addTask { (place, try await answer(to: request, at: place)) }
            }
            var answers: [Int: Answer] = [:]
            while answers.count < requests.count, let result = try await group.next() {
                if let (place, answer) = result { answers[place] = answer }
            }
            return requests.indices.compactMap { answers[$0] }
        }
    }

    private func answer(to request: AIRequest, at place: Int) async throws -> Answer {
        guard let judge else {
            guard case .final(.completed) = try await lookout.ending(of: request.id) else {
                return Answer(request: request.id, ending: .unfinished)
            }
            return Answer(request: request.id, ending: .complete(by: request.id, value: nil, repairs: nil))
        }
        do {
            return Answer(
                request: request.id,
                ending: try await judge.answer(to: request, in: job, at: place * judge.places, by: manager))
        } catch let error as AIServiceError where error.category != .storage && error.code != .suspended {
            // What the answer is like is the judge's word; what became of the request is the store's.
            let phase = try await manager.snapshots(SnapshotFilter(ids: [request.id], limit: 1)).first?.phase
            guard let phase else { throw error }
            return Answer(request: request.id, ending: phase == .completed ? .unsuitable(error) : .unfinished)
        }
    }
}
