import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// An account that refuses every call: two providers share it, a third has its own.
@Suite struct AccountSuspensionTests {
    private static let owner = OwnerID(rawValue: 1)
    private static let now = Moment(date: StoreWorkbench.date(0), clock: .zero)
    private static let unauthorized = AIServiceError(.unauthorized, "The key is wrong.")

    /// Returns an open core with leases for 1 and 2 of `p`, 3 and 4 of `q`, and 5 of `r`. The first of each provider is
    /// started.
    private func core(suspends: Bool = true) -> EngineCore {
        var core = EngineCore(
            lanes: [
                LaneDescription(provider: "p", concurrency: 1, account: "shared"),
                LaneDescription(provider: "q", concurrency: 1, account: "shared"),
                LaneDescription(provider: "r", concurrency: 1),
            ],
            configuration: EngineCore.Configuration(suspendsRefusingAccounts: suspends))
        core.isFollowed = true
        core.apply { $0.opened(as: Self.owner) }
        core.apply { $0.claimed([flight(1, of: "p"), flight(2, of: "p")], by: "p", asked: 32) }
        core.apply { $0.claimed([flight(3, of: "q"), flight(4, of: "q")], by: "q", asked: 32) }
        core.apply { $0.claimed([flight(5, of: "r")], by: "r", asked: 32) }
        return core
    }

    private func flight(_ number: Int, of provider: ProviderID) -> QueuedFlight {
        QueuedFlight(
            id: FlightID(rawValue: Int64(number)),
            lifecycle: FlightLifecycle(state: .leased(Self.owner), token: 1, attempt: 0, generation: 0),
            request: AIRequest(id: StoreWorkbench.id(number), prompt: ""), provider: provider)
    }

    /// Ends an attempt: its provider returns, then its end is on disk.
    private func end(
        _ number: Int, of provider: ProviderID, _ outcome: AttemptEnd.Outcome, _ state: FlightLifecycle.State,
        in core: inout EngineCore
    ) -> [EngineCore.Effect] {
        let id = FlightID(rawValue: Int64(number))
        let effects = core.apply {
            _ = $0.ended(AttemptKey(flight: id, token: 1), with: Reply(result: .failure(Self.unauthorized)))
        }
        let executing = FlightLifecycle(state: .executing(Self.owner), token: 1, attempt: 1, generation: 1)
        let end = AttemptEnd(
            flight: id, request: StoreWorkbench.id(number), provider: provider, lifecycle: executing,
            outcome: outcome, billing: .neverSent, startedAt: Self.now.date, endedAt: Self.now.date)
        let settlement = Settlement(
            end: end, flight: FlightLifecycle(state: state, token: 1, attempt: 1, generation: 1),
            finished: state == .settled(.failed) ? [StoreWorkbench.id(number)] : [])
        return effects
            + core.apply { $0.committed(StoreCommit(receipts: [], changes: [.settled(settlement)]), of: []) }
    }

    private func refuse(
        _ number: Int, of provider: ProviderID, _ error: AIServiceError = unauthorized, in core: inout EngineCore
    ) -> [EngineCore.Effect] {
        end(number, of: provider, .failed(error), .settled(.failed), in: &core)
    }

    @Test func `A refused call releases the queue of all providers of its account`() {
        var core = core()
        let effects = refuse(1, of: "p", in: &core)
        // Flight 2 took the free slot before the refusal was on disk.
        #expect(effects.started == [2])
        #expect(effects.released == [4])
        #expect(core.isLaneSuspended("p") && core.isLaneSuspended("q") && !core.isLaneSuspended("r"))
        #expect(effects.told == ["refused by shared", "suspended shared"])
        #expect(core.underWay.map(\.flight.rawValue) == [2, 3, 5])
    }

    @Test func `A suspended account starts, places and claims nothing until it is resumed`() throws {
        var core = core()
        _ = refuse(1, of: "p", in: &core)
        let effects = refuse(2, of: "p", in: &core) + refuse(3, of: "q", in: &core)
        #expect(effects.started.isEmpty && effects.claimed.isEmpty)
        // An account is suspended once, however many calls it refuses.
        #expect(effects.told == ["refused by shared", "refused by shared"])
        #expect(try placement(to: "p", in: &core) == .leave)
        let late = core.apply { $0.claimed([flight(6, of: "p")], by: "p", asked: 32) }
        #expect(late.released == [6] && late.started.isEmpty)
        let due = Self.now.date.addingTimeInterval(5)
        core.apply { $0.claimed([], nextDue: due, by: "q", asked: 32) }
        #expect(core.wake().map { $0 > .seconds(5) } ?? true)
        let resumed = core.apply { $0.resumed("shared") }
        #expect(resumed.claimed == ["p", "q"] && !core.isLaneSuspended("p"))
        #expect(core.apply { $0.resumed("shared") }.isEmpty)
    }

    @Test func `Other accounts continue`() throws {
        var core = core()
        _ = refuse(1, of: "p", in: &core)
        let effects = end(5, of: "r", .interrupted, .waiting, in: &core)
        #expect(effects.claimed == ["r"])
        core.apply { $0.claimed([], by: "r", asked: 32) }
        #expect(try placement(to: "r", in: &core) == .start)
    }

    @Test func `A resumed account can be suspended again`() {
        var core = core()
        _ = refuse(1, of: "p", in: &core)
        core.apply { $0.resumed("shared") }
        #expect(refuse(2, of: "p", in: &core).told == ["refused by shared", "suspended shared"])
    }

    @Test func `Only a permanent wrong key or missing credit suspends an account, if configured`() {
        for code in [AIServiceError.Code.unauthorized, .quotaExceeded] {
            var core = core()
            #expect(refuse(1, of: "p", AIServiceError(code, "No."), in: &core).told.last == "suspended shared")
        }
        for code in [AIServiceError.Code.invalidRequest, .providerFailed, .rateLimited] {
            var core = core()
            #expect(refuse(1, of: "p", AIServiceError(code, "No."), in: &core).told.isEmpty)
        }
        var misconfigured = core()
        let effects = refuse(1, of: "p", AIServiceError(.invalidConfiguration, "No."), in: &misconfigured)
        #expect(effects.told == ["refused by shared"] && !misconfigured.isLaneSuspended("p"))
        var retried = core()
        let date = Self.now.date.addingTimeInterval(1)
        let late = end(1, of: "p", .postponed(Self.unauthorized, until: date), .backingOff(until: date), in: &retried)
        #expect(late.told.isEmpty)
        var indifferent = core(suspends: false)
        #expect(refuse(1, of: "p", in: &indifferent).told == ["refused by shared"])
        #expect(!indifferent.isLaneSuspended("p"))
    }

    private func placement(to provider: ProviderID, in core: inout EngineCore) throws -> EngineCore.Placement? {
        var writes = [StoreWrite.submit(try StoreWorkbench.submission(9, provider: provider))]
        core.apply { $0.place(&writes) }
        guard case .submit(let submission)? = writes.first else { return nil }
        return submission.placement
    }
}

extension [EngineCore.Effect] {
    /// The account news for followers.
    fileprivate var told: [String] {
        compactMap { effect in
            switch effect {
            case .event(.refused(let account, _, _)): "refused by \(account)"
            case .event(.suspended(let account, _)): "suspended \(account)"
            default: nil
            }
        }
    }
}

extension EngineCore {
    /// Applies one event.
    @discardableResult
    fileprivate mutating func apply(_ event: (inout EngineCore) -> Void) -> [Effect] {
        apply(at: Moment(date: StoreWorkbench.date(0), clock: .zero), event).effects
    }
}
