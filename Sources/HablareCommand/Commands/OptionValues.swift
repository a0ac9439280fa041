public import ArgumentParser
import Foundation
public import Hablare
public import HablareSpeech

extension TextSegmenter.Unit: ExpressibleByArgument {}
extension LedgerQuery.Grouping: ExpressibleByArgument {}

/// The values of `--state`: a phase, held requests, or requests whose process ended during an attempt.
enum StateOption: String, CaseIterable, ExpressibleByArgument {
    case pending, executing, completed, failed, cancelled, held, interrupted

    /// The phase in which the store keeps such requests. Held requests are pending, and interrupted requests are
    /// executing.
    var phase: RequestPhase {
        switch self {
        case .pending, .held: .pending
        case .executing, .interrupted: .executing
        case .completed: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    func includes(_ standing: RequestStanding) -> Bool {
        self == .held ? standing.snapshot.waiting == .held : standing.state == rawValue
    }
}

/// The action for a request whose last attempt has an unknown outcome, as spelled on the command line.
enum InterruptionOption: String, CaseIterable, ExpressibleByArgument {
    case runAgain = "run-again"
    case hold

    var policy: UnknownOutcomePolicy {
        switch self {
        case .runAgain: .runAgain
        case .hold: .hold
        }
    }
}

enum CacheOption: String, CaseIterable, ExpressibleByArgument {
    case use, refresh, bypass

    var policy: CachePolicy {
        switch self {
        case .use: .use
        case .refresh: .refresh
        case .bypass: .bypass
        }
    }
}

enum PriorityOption: String, CaseIterable, ExpressibleByArgument {
    case high, normal, low

    var priority: Priority {
        switch self {
        case .high: .high
        case .normal: .normal
        case .low: .low
        }
    }
}

extension UnknownOutcomePolicy {
    var word: String {
        switch self {
        case .runAgain: InterruptionOption.runAgain.rawValue
        case .hold: InterruptionOption.hold.rawValue
        }
    }
}

extension UUID {
    var text: String { uuidString.lowercased() }
}
