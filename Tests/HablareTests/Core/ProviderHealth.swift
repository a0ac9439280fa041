import Foundation

@testable import Hablare

/// An independent model of a provider's health: failures in a row, pauses, and the one probe.
struct ProviderHealth {
    static let policy = BreakerPolicy(threshold: 3, pause: .seconds(2), longestPause: .seconds(8))

    private var failures = 0
    private var pauses = 0
    private(set) var openUntil: Date?
    private var probe: AttemptKey?

    /// Sends a call if it may be sent, and returns whether it was.
    mutating func sent(_ attempt: AttemptKey, now: Date) -> Bool {
        guard let openUntil else { return true }
        guard openUntil <= now, probe == nil else { return false }
        probe = attempt
        return true
    }

    /// Returns the number of flights a process can use while the provider fails, or `nil` if it does not fail.
    func useful(at now: Date) -> Int? {
        openUntil.map { $0 <= now && probe == nil ? 1 : 0 }
    }

    mutating func ended(_ attempt: AttemptKey, _ health: Breaker.Health, now: Date) {
        let wasProbe = probe == attempt
        if wasProbe { probe = nil }
        switch health {
        case .sound:
            self = ProviderHealth()
        case .failing where openUntil == nil:
            failures += 1
            if failures >= Self.policy.threshold { openUntil = now.addingTimeInterval(2) }
        case .failing where wasProbe:
            pauses += 1
            openUntil = now.addingTimeInterval(min(2 * pow(2, Double(pauses)), 8))
        case .failing, .unknown:
            break
        }
    }
}
