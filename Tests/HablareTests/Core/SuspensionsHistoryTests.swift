import HablareTestKit
import Testing

@testable import Hablare

/// Compares random histories with a model that keeps all events and looks them up, where the machine keeps a state.
@Suite struct SuspensionsHistoryTests {
    private enum Event: Equatable {
        case suspended(SuspensionReason, end: Duration)
        case resumed(SuspensionReason)
        case hurried(SuspensionReason)
        case timePassed(Duration)
        case started, failed, rested, woke, endOrdered, ended
    }

    private struct Book {
        var events: [Event] = []

        /// Returns the events since a reason took effect, or `nil` if it is not in effect.
        private func since(_ reason: SuspensionReason) -> ArraySlice<Event>? {
            let after = events.lastIndex(of: .resumed(reason)).map { $0 + 1 } ?? 0
            let first = events[after...].firstIndex { event in
                if case .suspended(reason, _) = event { true } else { false }
            }
            return first.map { events[$0...] }
        }

        func contains(_ reason: SuspensionReason) -> Bool { since(reason) != nil }
        var reasons: Set<SuspensionReason> { Set(SuspensionReason.allCases.filter(contains)) }

        /// Returns the shortest grace given before a position in the history.
        private func grace(of reason: SuspensionReason, in events: ArraySlice<Event>) -> Duration? {
            events.compactMap { event -> Duration? in
                guard case .suspended(reason, let end) = event else { return nil }
                return end
            }.min()
        }

        func isGraceOver(of reason: SuspensionReason) -> Bool {
            guard let events = since(reason) else { return false }
            return events.indices.contains { place in
                switch events[place] {
                case .hurried(reason): true
                case .timePassed(let now): grace(of: reason, in: events[..<place]).map { $0 <= now } ?? false
                default: false
                }
            }
        }

        func graceEnd(of reason: SuspensionReason) -> Duration? {
            guard !isGraceOver(of: reason), let events = since(reason) else { return nil }
            return grace(of: reason, in: events)
        }

        /// The engine's events since it started; a failed start does not count.
        private var life: ArraySlice<Event> {
            guard let start = events.lastIndex(where: { $0 == .started }) else { return [] }
            let life = events[start...]
            guard life.contains(.failed) else { return life }
            return Book(events: Array(events[..<start])).life
        }

        var isRunning: Bool { !life.isEmpty && !life.contains(.ended) }
        var isEnding: Bool { isRunning && life.contains(.endOrdered) }

        /// Whether the engine runs suspended: it started in the background, or was suspended and has not woken.
        var isDraining: Bool {
            guard isRunning, !isEnding, let first = life.indices.first else { return false }
            let last = life.last { $0 == .rested || $0 == .woke }
            return last.map { $0 == .rested } ?? Book(events: Array(events[..<first])).contains(.background)
        }

        var order: Suspensions.Order { isEnding ? .end : contains(.background) ? .suspend : .work }
        var isEngineUp: Bool { isRunning && !isDraining }
        var isSilent: Bool { life.contains(.ended) || isDraining && contains(.background) }
    }

    /// Applies an event to both. Returns the machine's answer and the model's.
    private static func anything(
        _ suspensions: inout Suspensions, _ book: inout Book, _ now: inout Duration,
        _ random: inout SeededGenerator
    ) -> (Bool, Bool) {
        let reason = SuspensionReason.allCases.randomElement(using: &random) ?? .offline
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            let end = now + .seconds(Int.random(in: 0..<9, using: &random))
            suspensions.suspended(for: reason, graceEnds: end)
            book.events.append(.suspended(reason, end: end))
        case 2, 3:
            let wasInForce = book.contains(reason)
            book.events.append(.resumed(reason))
            return (suspensions.resumed(from: reason), wasInForce)
        case 4:
            suspensions.hurried(reason)
            book.events.append(.hurried(reason))
        case 5:
            now += .seconds(Int.random(in: 0..<5, using: &random))
            suspensions.timePassed(now: now)
            book.events.append(.timePassed(now))
        case 6 where !book.isRunning:
            let before = suspensions
            let isToWork = suspensions.engineStarted()
            book.events.append(.started)
            guard isToWork == !book.contains(.background), Int.random(in: 0..<4, using: &random) == 0 else {
                return (isToWork, !book.contains(.background))
            }
            suspensions.engineFailed(before: before)
            book.events.append(.failed)
        case 7 where book.isRunning:
            suspensions.engineSuspended()
            // An engine that ends is not suspended.
            if !book.isEnding { book.events.append(.rested) }
        case 8 where book.isRunning:
            let mayWake = book.order == .work
            if mayWake { book.events.append(.woke) }
            return (suspensions.engineWoke(), mayWake)
        case 9 where book.isEnding:
            suspensions.engineEnded()
            book.events.append(.ended)
        case 9 where book.isRunning && Int.random(in: 0..<3, using: &random) == 0:
            suspensions.endOrdered()
            book.events.append(.endOrdered)
        default: break
        }
        return (true, true)
    }

    @Test("Suspensions agrees with the model over random histories", arguments: Seeds.choose(200))
    func agree(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var suspensions = Suspensions()
        var book = Book()
        var now = Duration.zero
        for step in 0..<60 {
            let (answered, expected) = Self.anything(&suspensions, &book, &now, &random)
            let found = "HABLARE_SEED=\(seed), step \(step), after \(book.events.suffix(5))"
            #expect(answered == expected, "\(found)")
            #expect(suspensions.reasons == book.reasons, "\(found)")
            for reason in SuspensionReason.allCases {
                #expect(suspensions.contains(reason) == book.contains(reason), "\(found)")
                #expect(suspensions.isGraceOver(of: reason) == book.isGraceOver(of: reason), "\(found)")
                #expect(suspensions.graceEnd(of: reason) == book.graceEnd(of: reason), "\(found)")
            }
            #expect(suspensions.order == book.order, "\(found)")
            #expect(suspensions.isEngineUp == book.isEngineUp, "\(found)")
            #expect(suspensions.isSilent == book.isSilent, "\(found)")
        }
    }
}
