import Foundation
import Hablare

/// A run that requests several answers at the same time, or answers that must satisfy a schema. The engine of its
/// manager must be running.
struct AnswersRun: Sendable {
    struct Answer: Sendable {
        let request: UUID
        let ending: Ending

        var source: UUID? {
            switch ending {
            case .complete(let id, _, _), .unsuitable(_, let id, _): id
            case .unfinished, .left: request
            case .removed: nil
            }
        }

        func asFound(in store: any StoreReading) throws -> Answer {
            guard let source, try store.snapshot(of: source) == nil else { return self }
            return Answer(request: request, ending: .removed)
        }
    }

    enum Ending: Sendable {
        /// The request has an answer: its own or the answer of its last repair. If a schema required a value, the value
        /// is included.
        case complete(by: UUID, value: ParameterValue?, repairs: Int?)
        /// The request has no answer. The store says whether it failed, was cancelled or is held.
        case unfinished
        /// The request's answer, or the answer of its last repair, does not satisfy the schema and could not be
        /// repaired.
        case unsuitable(AIServiceError, by: UUID, repairs: Int)
        /// The request has no answer, because its provider refuses every call and is suspended.
        case left
        case removed
    }

    let requests: [AIRequest]
    let provider: ProviderID
    let judge: SchemaJudge?
    /// The job of the requests. With it, this process runs only these requests and their repairs.
    let job: JobKey
    let manager: AIRequestManager
    let lookout: Lookout

    /// Runs until each request is final or held. If the task is cancelled, the requests stay in the store.
    func run() async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer)?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await lookout.run()
                return nil
            }
            if judge == nil { _ = try await manager.submit(requests, to: provider, jobKey: job) }
            for (index, request) in requests.enumerated() {
                group.addTask {
                    (index, Answer(request: request.id, ending: try await ending(of: request, at: index)))
                }
            }
            var answers: [Int: Answer] = [:]
            while answers.count < requests.count, let result = try await group.next() {
                if let (index, answer) = result { answers[index] = answer }
            }
            return requests.indices.compactMap { answers[$0] }
        }
    }

    private func ending(of request: AIRequest, at index: Int) async throws -> Ending {
        guard let judge else { return try await ending(of: request.id) }
        do {
            return try await untilStandstill(of: judge.chain(of: request.id)) {
                try await judge.answer(to: request, in: job, at: index * judge.positionCount, by: manager)
            }
        } catch let error as AIServiceError where error.category != .storage && error.code != .suspended {
            // The judge decides whether the answer is suitable; the store knows how the request ended.
            let chain = judge.chain(of: request.id)
            let snapshots = try await manager.snapshots(SnapshotFilter(ids: chain, limit: chain.count))
            guard let phase = snapshots.first(where: { $0.id == request.id })?.phase else { return .removed }
            let answered = Set(snapshots.filter { $0.phase == .completed }.map(\.id))
            guard phase == .completed, let last = chain.lastIndex(where: answered.contains) else { return .unfinished }
            return .unsuitable(error, by: chain[last], repairs: last)
        }
    }

    /// Waits for an answer until the request, or a repair of its answer, comes to a standstill. The wait for the answer
    /// itself would notice only the end of the request.
    private func untilStandstill(
        of chain: [UUID], _ answer: @escaping @Sendable () async throws -> Ending
    ) async throws -> Ending {
        let standstills = chain.map { id -> @Sendable () async throws -> Ending? in
            { if case .left = try await lookout.standstill(of: id) { .left } else { .unfinished } }
        }
        return try await firstValue(of: [{ try await answer() }] + standstills)
    }

    private func ending(of id: UUID) async throws -> Ending {
        do {
            switch try await lookout.ending(of: id) {
            case .final(.completed): return .complete(by: id, value: nil, repairs: nil)
            case .left: return .left
            case .final, .held: return .unfinished
            }
        } catch let error as AIServiceError where error.code == .unknownRequest {
            return .removed  // the wait for the others continues
        }
    }

    /// Returns the answers after a signal if every request has its answer; `nil` if an answer is missing. Makes no
    /// request, even if an answer does not satisfy the schema.
    func answersNow(in store: any StoreReading) async throws -> [Answer]? {
        var answers: [Answer] = []
        for request in requests {
            guard let ending = try await endingNow(of: request.id, in: store) else { return nil }
            answers.append(Answer(request: request.id, ending: ending))
        }
        return answers
    }

    private func endingNow(of id: UUID, in store: any StoreReading) async throws -> Ending? {
        guard let judge else {
            guard try store.snapshot(of: id)?.phase == .completed else { return nil }
            return .complete(by: id, value: nil, repairs: nil)
        }
        // A repair is requested only if the answer before it is unusable, so the last one counts.
        for (number, id) in judge.chain(of: id).enumerated().reversed() {
            guard let snapshot = try store.snapshot(of: id) else { continue }
            guard snapshot.phase == .completed, let response = try store.response(of: id),
                let value = try await judge.value(of: response)
            else { return nil }
            return .complete(by: id, value: value, repairs: number)
        }
        return nil
    }
}
