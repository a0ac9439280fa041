import Foundation
import Hablare

/// The requests of a job, in their order: what a command has made, and finds again when it is run again.
struct JobWork: Sendable {
    /// Names the work: the input and everything that changes what comes out.
    let job: JobKey
    /// Who is asked.
    let provider: ProviderID
    /// How many requests there are.
    let count: Int
    /// What one of them is for, in a word: `segment`.
    let noun: String
    /// Whether the same command makes another job each time, as with `--anew`.
    var isNewEachTime = false
    /// Makes one, at its place from 0, under an id.
    let request: @Sendable (_ index: Int, _ id: UUID) -> AIRequest
}

/// A request of a job that has no answer.
struct JobGap: Sendable, Hashable {
    /// Why it has none.
    enum Reason: Sendable, Hashable {
        /// Its last attempt failed.
        case failed(AIServiceError)
        /// Somebody cancelled it.
        case cancelled
        /// Nobody knows whether its last attempt was carried out, and billed.
        case held
        /// It waits, or is under way elsewhere: this process asks for nothing more.
        case waiting
    }

    /// Its place, from 0.
    let index: Int
    let request: UUID
    let reason: Reason
}

extension [JobGap] {
    /// Those that failed, with their errors.
    var failures: [(gap: JobGap, error: AIServiceError)] {
        compactMap { gap in
            guard case .failed(let error) = gap.reason else { return nil }
            return (gap, error)
        }
    }

    /// Those that somebody cancelled.
    var cancelled: [JobGap] { filter { $0.reason == .cancelled } }
    /// Those that wait for somebody's word.
    var held: [JobGap] { filter { $0.reason == .held } }
    /// Those that were left to wait.
    var waiting: [JobGap] { filter { $0.reason == .waiting } }
}
