import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Compares random histories with a model that keeps every attempt and counts afterwards, where the machine keeps
/// counters.
@Suite struct FlightHistoryTests {
    /// The end of an attempt.
    private enum Fate { case underWay, failed, interrupted, interruptedUnpaid, lost, ended }

    private enum Place: Equatable {
        case waiting, held, leased, executing, over(FlightLifecycle.Outcome)
        case backingOff(Date)
    }

    private struct Book {
        var leases: Int64 = 0
        var place = Place.waiting
        /// Every attempt, oldest first.
        var attempts: [Fate] = []
        /// The number of attempts when the flight was last reopened.
        var reopenedAfter = 0
        /// The work that the handle refers to.
        var handle: Int?
        /// The number of attempts that found no handle and began work of their own.
        var beginnings = 0
        /// The work that each attempt did, with the token and generation by which the machine identifies the attempt.
        var works: [(work: Int, token: Int64, generation: Int)] = []

        var hasHandle: Bool { handle != nil }
        /// Whether the work of an attempt is in progress or can be resumed.
        func isWanted(_ attempt: Int) -> Bool {
            if case .over = place { return false }
            return place == .executing && attempt == works.count - 1 || handle == works[attempt].work
        }

        var sinceReopened: ArraySlice<Fate> { attempts[reopenedAfter...] }
        var tries: Int { sinceReopened.count { $0 != .interrupted && $0 != .interruptedUnpaid && $0 != .lost } }
        /// The lost and stopped attempts since the last failed one, without those stopped before they could be billed.
        var losses: Int {
            sinceReopened.reversed().prefix { $0 != .failed }.count { $0 == .lost || $0 == .interrupted }
        }
        mutating func end(_ fate: Fate) { attempts[attempts.count - 1] = fate }
    }

    private static let owner = OwnerID(rawValue: 1)

    private static func place(_ flight: FlightLifecycle) -> Place {
        switch flight.state {
        case .waiting: .waiting
        case .backingOff(let until): .backingOff(until)
        case .held: .held
        case .leased: .leased
        case .executing: .executing
        case .settled(let settlement): .over(settlement)
        }
    }

    @Test("FlightLifecycle agrees with the model over random histories", arguments: Seeds.choose(300))
    func agree(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var flight = FlightLifecycle()
        var book = Book()
        for step in 0..<300 {
            let before = flight
            let wasAccepted: Bool
            do throws(FlightLifecycle.Refusal) {
                wasAccepted = try Self.anything(&flight, &book, &random)
            } catch {
                #expect(flight == before, "HABLARE_SEED=\(seed), step \(step): a refusal changes nothing")
                continue
            }
            let found = "HABLARE_SEED=\(seed), step \(step): \(before) → \(flight)"
            #expect(wasAccepted, "\(found) was not to be accepted")
            #expect(Self.place(flight) == book.place, "\(found)")
            #expect(flight.token == book.leases, "\(found)")
            #expect(flight.attempt == book.attempts.count && flight.generation == book.beginnings, "\(found)")
            #expect(flight.hasHandle == book.hasHandle, "\(found)")
            for (number, attempt) in book.works.enumerated().suffix(5) {
                let isWanted = flight.isWanted(workOf: attempt.token, in: attempt.generation)
                #expect(isWanted == book.isWanted(number), "\(found), attempt \(number + 1)")
            }
            #expect(flight.tries == book.tries, "\(found)")
            if case .over = book.place {} else { #expect(flight.losses == book.losses, "\(found)") }
            #expect(flight.uncounted >= 0 && flight.tries >= 0, "\(found)")
            if before.state == .settled(.completed) { return }
        }
    }

    /// Applies an event to both. Returns whether the model finds it possible, and throws if the machine refuses it.
    private static func anything(
        _ flight: inout FlightLifecycle, _ book: inout Book, _ random: inout SeededGenerator
    ) throws(FlightLifecycle.Refusal) -> Bool {
        let token = flight.token - (Int.random(in: 0..<6, using: &random) == 0 ? 1 : 0)
        let isCurrent = token == flight.token
        let place = book.place
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1:
            try flight.leased(by: owner)
            book.leases += 1
            book.place = .leased
            return place == .waiting
        case 2, 3, 4:
            try flight.attemptStarted(token: token)
            book.attempts.append(.underWay)
            if !book.hasHandle { book.beginnings += 1 }
            book.works.append((book.handle ?? book.beginnings, flight.token, flight.generation))
            book.place = .executing
            return place == .leased && isCurrent
        case 5:
            let settlement: FlightLifecycle.Outcome = Bool.random(using: &random) ? .completed : .failed
            // Completes rarely, so that histories are long.
            if settlement == .completed, Int.random(in: 0..<4, using: &random) > 0 { return true }
            try flight.attemptEnded(token: token, attempt: flight.attempt, as: settlement)
            if place == .executing { book.end(settlement == .failed ? .failed : .ended) }
            book.place = .over(settlement)
            book.handle = nil
            if settlement == .completed, case .over = place { return false }
            return settlement == .completed ? !book.attempts.isEmpty : place == .executing && isCurrent
        case 6, 7:
            let date = Date(timeIntervalSince1970: Double(Int.random(in: 0..<9, using: &random)))
            try flight.attemptPostponed(token: token, until: date)
            book.end(.failed)
            book.place = .backingOff(date)
            return place == .executing && isCurrent
        case 8:
            try flight.attemptHeld(token: token)
            book.end(.failed)
            book.place = .held
            return place == .executing && isCurrent
        case 9:
            try flight.backoffEnded()
            book.place = .waiting
            if case .backingOff = place { return true }
            return false
        case 10:
            let mayBeBilled = Bool.random(using: &random)
            let stopped = try flight.released(token: token, mayBeBilled: mayBeBilled)
            if place == .executing { book.end(mayBeBilled ? .interrupted : .interruptedUnpaid) }
            book.place = place == .executing && mayBeBilled && book.losses >= 10 ? .held : .waiting
            return isCurrent && (stopped != nil ? place == .executing : place == .leased)
        case 11:
            let policy = UnknownOutcomePolicy.allCases.randomElement(using: &random) ?? .runAgain
            return broken(&flight, &book, policy)
        case 12 where Int.random(in: 0..<4, using: &random) == 0:
            let stopped = flight.lastMemberLeft()
            if case .over = place { return stopped == nil }
            if place == .executing { book.end(.ended) }
            book.place = .over(.cancelled)
            book.handle = nil
            return (stopped != nil) == (place == .executing)
        case 12: return true
        case 13, 14:
            let remembers = Int.random(in: 0..<3, using: &random) > 0
            if remembers { try flight.handleStored(token: token) } else { try flight.handleForgotten(token: token) }
            book.handle = remembers ? book.works.last?.work : nil
            return place == .executing && isCurrent
        default:
            try flight.reopened()
            book.reopenedAfter = book.attempts.count
            book.place = .waiting
            switch place {
            case .held, .backingOff, .over(.failed), .over(.cancelled): return true
            case .waiting, .leased, .executing, .over(.completed): return false
            }
        }
    }

    private static func broken(
        _ flight: inout FlightLifecycle, _ book: inout Book, _ policy: UnknownOutcomePolicy
    ) -> Bool {
        let lost = flight.leaseBroken(policy)
        switch book.place {
        case .executing:
            book.end(.lost)
            book.place = policy == .hold && !book.hasHandle || book.losses >= 10 ? .held : .waiting
            return lost == book.attempts.count
        case .leased:
            book.place = .waiting
            return lost == nil
        case .waiting, .held, .backingOff, .over:
            return lost == nil
        }
    }
}
