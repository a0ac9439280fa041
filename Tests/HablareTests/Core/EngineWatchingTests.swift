import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// The news of commits, of this process and of others, that waiters and watchers of requests receive.
@Suite(.timeLimit(.minutes(5)))
struct EngineWatchingTests {
    private let id = StoreWorkbench.id(1)
    private let flight = FlightID(rawValue: 1)

    /// Waits for the request on a core.
    private func wait(_ bench: inout CoreHarness, for id: UUID? = nil) -> Waiter<RequestStatus> {
        let waiter = Waiter<RequestStatus>()
        let isWaiting = bench.core.wait(waiter, for: id ?? self.id)
        #expect(isWaiting)
        return waiter
    }

    /// Watches the request on a core.
    private func watch(_ bench: inout CoreHarness, _ id: UUID? = nil) throws -> StatusStream {
        let (statuses, continuation) = StatusStream.make()
        let number = bench.core.begin(continuation, of: id ?? self.id)
        return StatusStream(number: try #require(number), statuses: statuses)
    }

    /// Returns the end of the attempt of the request's flight.
    private func settlement(
        _ bench: CoreHarness, _ outcome: AttemptEnd.Outcome, flight state: FlightLifecycle.State, finished: [UUID]
    ) -> Settlement {
        Settlement(
            end: AttemptEnd(
                flight: flight, request: id, provider: "p", lifecycle: bench.flight(.executing(CoreHarness.owner)),
                outcome: outcome, billing: .maybeBilled, startedAt: bench.now.date, endedAt: bench.now.date),
            flight: bench.flight(state), finished: finished)
    }

    private func answer(to id: UUID) -> AIResponseData {
        AIResponseData(
            requestID: id, providerID: "p", result: .success(.text("answer")), receivedAt: StoreWorkbench.date(0))
    }

    // MARK: Commits of this process

    @Test("A stream receives each status from submission to outcome once")
    func lifeOfRequest() async throws {
        var bench = CoreHarness(1)
        let stream = try watch(&bench)
        #expect(!bench.core.isOfInterest(.request(id)), "it is not on disk yet")
        bench.core.watched.tellFirst(.pending, to: stream.number, of: id)
        #expect(try await stream.next() == .pending)
        try bench.submit(1)
        #expect(bench.core.isOfInterest(.request(id)) && bench.core.isOfInterest(.flight(flight)))
        #expect(bench.core.rowsOfInterest == [.flight(flight), .request(id), .account("p")])
        #expect(try await stream.next() == .executing(progress: nil))
        bench.core.progressed(bench.key(1), to: 0.5)
        #expect(try await stream.next() == .executing(progress: 0.5))
        bench.end(1)
        let settled = settlement(
            bench, .completed(answer(to: id)), flight: .settled(.completed), finished: [id])
        bench.commit(.settled(settled)).tellEnds()
        #expect(try await collect(stream.statuses) == [.completed(answer(to: id))])
        #expect(bench.core.watched.isEmpty && bench.core.rowsOfInterest == [.account("p")])
    }

    @Test("Every finished member receives its outcome, and a remaining member its pending status")
    func membersOfFlight() async throws {
        var bench = CoreHarness(1)
        let leader = wait(&bench)
        let (impatient, patient) = (
            try watch(&bench, StoreWorkbench.id(2)), try watch(&bench, StoreWorkbench.id(3))
        )
        try bench.submit(1)
        for number in 2...3 { _ = try bench.join(number, flight: 1, .normal, to: "p") }
        bench.end(1, .failing)
        let settled = settlement(
            bench, .postponed(StoreWorkbench.overloaded, until: bench.date(9)),
            flight: .backingOff(until: bench.date(9)), finished: [StoreWorkbench.id(2), id])
        let effects = bench.commit(.settled(settled))
        #expect(effects.ends.map(\.watched.count) == [1, 1])
        effects.tellEnds()
        let failed = RequestStatus.failed(StoreWorkbench.overloaded)
        #expect(try await leader.value() == failed)
        #expect(try await collect(impatient.statuses) == [failed])
        #expect(try await patient.next() == .pending)
        #expect(bench.core.watched.ids == [StoreWorkbench.id(3)])
    }

    @Test("A waiter receives a cancellation, a deletion and an expiry of this process")
    func endsWithoutAttempt() async throws {
        for (change, expected) in [
            (RequestChange.cancelled, RequestStatus.cancelled), (.erased, .cancelled),
            (.failed(.deadlineExceeded), .failed(.deadlineExceeded)),
        ] {
            var bench = CoreHarness(1)
            let waiter = wait(&bench)
            let effects = bench.commit(.request(id, of: flight, change))
            #expect(effects.looks.isEmpty, "nothing has to be read")
            effects.tellEnds()
            #expect(try await waiter.value() == expected)
        }
    }

    @Test("A retry revives waits that had ended and announces the request as pending")
    func retry() async throws {
        var bench = CoreHarness(1)
        let stream = try watch(&bench)
        let effects = bench.commit(.request(id, of: flight, .pending))
        #expect(effects.revivals == [.request(id)])
        #expect(try await stream.next() == .pending)
        #expect(bench.core.isOfInterest(.flight(flight)), "it is attached to its flight")
        #expect(bench.hear(.request(id, of: flight, .pending)).revivals.isEmpty, "another process's")
    }

    @Test("Waits fail with the error if an attempt cannot be started or recorded")
    func storeFailures() async throws {
        for isStart in [true, false] {
            var bench = CoreHarness(1)
            let (leader, member) = (wait(&bench), wait(&bench, for: StoreWorkbench.id(2)))
            bench.core.attach(id, to: flight)
            bench.core.attach(StoreWorkbench.id(2), to: flight)
            bench.claim([bench.flight(1)])
            let effects: [EngineCore.Effect]
            if isStart {
                effects = bench.after(bench.core.startFailed(bench.key(1), with: StoreWorkbench.failure))
            } else {
                bench.start(1)
                bench.end(1)
                effects = bench.after(bench.core.recordingFailed(bench.key(1), with: StoreWorkbench.failure))
            }
            effects.tellEnds()
            for waiter in [leader, member] {
                #expect(await code { _ = try await waiter.value() } == StoreWorkbench.failure.code)
            }
            #expect(bench.core.watched.isEmpty)
        }
    }

    // MARK: Other processes

    @Test("The outcome of a request that another process ended is read from the store if the news lacks it")
    func foreignOutcomes() async throws {
        for (change, expected) in [
            (RequestChange.completed, RequestStatus?.none), (.failed(nil), nil),
            (.failed(StoreWorkbench.failure), .failed(StoreWorkbench.failure)), (.cancelled, .cancelled),
        ] {
            var bench = CoreHarness(1, isOpen: false)
            let waiter = wait(&bench)
            bench.core.attach(id, to: flight)
            let effects = bench.hear(.request(id, of: flight, change))
            effects.tellEnds()
            if let expected {
                #expect(effects.looks.isEmpty)
                #expect(try await waiter.value() == expected)
            } else {
                let look = try #require(effects.looks.first)
                #expect(effects.looks.count == 1 && look.id == id && effects.ends.isEmpty)
                bench.after(bench.core.found(.success(.completed(answer(to: id))), by: look)).tellEnds()
                #expect(try await waiter.value() == .completed(answer(to: id)))
            }
            #expect(bench.core.watched.isEmpty)
        }
    }

    @Test("A request erased by another process fails its waiters and readers as unknown")
    func foreignErasure() async throws {
        var bench = CoreHarness(1)
        let waiter = wait(&bench)
        bench.core.readers += 1
        bench.core.attach(id, to: flight)
        let effects = bench.hear(.request(id, of: FlightID(rawValue: 0), .erased))
        effects.tellEnds()
        #expect(await code { _ = try await waiter.value() } == AIServiceError.unknown(id).code)
        #expect(effects.contains { if case .failReaders(of: id, _) = $0 { true } else { false } })
    }

    @Test("A lookup that raced with other news is repeated while a waiter remains")
    func outdatedLooks() async throws {
        for isFound in [true, false] {
            var bench = CoreHarness(1)
            let waiter = wait(&bench)
            bench.core.attach(id, to: flight)
            let look = try #require(bench.hear(.request(id, of: flight, .completed)).looks.first)
            bench.commit(.request(id, of: flight, .pending))
            let found: Result<RequestStatus, any Error> =
                isFound ? .success(.cancelled) : .failure(AIServiceError.unknown(id))
            let effects = bench.after(bench.core.found(found, by: look))
            let again = try #require(effects.looks.first)
            try #require(effects.ends.isEmpty)
            bench.after(bench.core.found(.success(.cancelled), by: again)).tellEnds()
            #expect(try await waiter.value() == .cancelled)
            #expect(bench.after(bench.core.found(found, by: look)).isEmpty)
        }
    }

    @Test("The progress of a stopped attempt is not announced")
    func lateProgress() async throws {
        var bench = CoreHarness(1)
        let stream = try watch(&bench)
        try bench.submit(1)
        bench.core.progressed(bench.key(1), to: 0.5)
        #expect(try await stream.next() == .executing(progress: 0.5))
        bench.after(bench.core.stopAll())
        bench.core.progressed(bench.key(1), to: 0.75)
        #expect(bench.core.watched.progress(of: id) == 0.5)
    }

    @Test("A failed lookup ends the waits with its error")
    func failedLook() async throws {
        var bench = CoreHarness(1)
        let waiter = wait(&bench)
        let look = try #require(bench.hear(.request(id, of: flight, .completed)).looks.first)
        bench.after(bench.core.found(.failure(AIServiceError.unknown(id)), by: look)).tellEnds()
        #expect(await code { _ = try await waiter.value() } == AIServiceError.unknown(id).code)
        #expect(bench.hear(.request(id, of: flight, .completed)).looks.isEmpty, "no one watches it")
    }

    @Test("A flight that another process runs is announced to its members")
    func foreignProgress() async throws {
        var bench = CoreHarness(1)
        let stream = try watch(&bench)
        bench.hear(.request(id, of: flight, .pending))
        #expect(try await stream.next() == .pending)
        let elsewhere = FlightLifecycle.State.executing(OwnerID(rawValue: 2))
        bench.hear(.flight(flight, bench.flight(elsewhere)), .request(id, of: flight, .executing))
        #expect(try await stream.next() == .executing(progress: nil))
        bench.hear(.flight(flight, bench.flight(.waiting)))
        #expect(try await stream.next() == .pending)
    }

    // MARK: Silence

    @Test("Once the engine is silent all waits and streams end, and new ones are refused")
    func silence() async throws {
        var bench = CoreHarness(1)
        _ = bench.core.engineStarted()
        let (waiter, stream) = (wait(&bench), try watch(&bench, StoreWorkbench.id(2)))
        let effects = bench.after(bench.core.engineEnded())
        #expect(effects.silences == [true])
        try #require(effects.ends.map(\.watched.count) == [2])
        effects.tellEnds()
        #expect(await code { _ = try await waiter.value() } == .suspended)
        #expect(await code { _ = try await collect(stream.statuses) } == .suspended)
        #expect(bench.core.watched.isEmpty)
        let (isWaiting, number) = (
            bench.core.wait(Waiter<RequestStatus>(), for: id), bench.core.begin(StatusStream.make().1, of: id)
        )
        #expect(!isWaiting && number == nil)
        #expect(bench.core.watched.isEmpty)

        _ = bench.core.engineStarted()
        let opened = bench.after(bench.core.revive())
        #expect(opened.silences == [false] && opened.revivals == [.engine])
        let after = wait(&bench)
        bench.commit(.request(id, of: flight, .cancelled)).tellEnds()
        #expect(try await after.value() == .cancelled)
    }

    @Test("An engine suspended in the background is silent until it is resumed")
    func suspendedIsSilent() async throws {
        var bench = CoreHarness(1)
        _ = bench.core.engineStarted()
        let waiter = wait(&bench)
        let suspended = bench.after(bench.core.suspended(for: .background, grace: .seconds(5)))
        #expect(suspended.silences.isEmpty && suspended.ends.isEmpty, "what is under way may end yet")
        let rested = bench.after(bench.core.engineSuspended())
        rested.tellEnds()
        #expect(rested.silences == [true] && rested.revivals.isEmpty)
        try #require(rested.ends.count == 1)
        #expect(await code { _ = try await waiter.value() } == .suspended)
        let resumed = bench.after(bench.core.resumed(from: .background))
        #expect(resumed.silences == [false] && resumed.revivals == [.engine])
    }

    // MARK: Listening to other processes

    @Test("A process listens to others while its engine works, or a waiter, watcher or reader remains")
    func listening() throws {
        var bench = CoreHarness(1, isOpen: false, isShared: true)
        #expect(bench.open().listens == [true])
        let waiter = Waiter<RequestStatus>()
        _ = bench.core.wait(waiter, for: id)
        #expect(bench.core.takeEffects().listens.isEmpty, "it listens already")
        #expect(bench.after(bench.core.closed()).listens.isEmpty, "someone waits")
        #expect(bench.after(bench.core.watched.forget(waiter, of: id)).listens == [false])
        #expect(bench.after(bench.core.readers += 1).listens == [true])
        #expect(bench.after(bench.core.readers -= 1).listens == [false])
        let number = bench.core.begin(StatusStream.make().1, of: id)
        #expect(bench.core.takeEffects().listens == [true])
        #expect(bench.after(bench.core.watched.endStream(try #require(number), of: id)).listens == [false])
    }

    @Test("A process stops listening when its last watched request has ended")
    func listeningEnds() throws {
        let settled = settlement(
            CoreHarness(1), .completed(answer(to: id)), flight: .settled(.completed), finished: [id])
        for change in [
            StoreChange.request(id, of: flight, .cancelled), .request(id, of: flight, .erased),
            .request(id, of: flight, .failed(StoreWorkbench.failure)), .settled(settled),
        ] {
            var bench = CoreHarness(1, isOpen: false, isShared: true)
            _ = bench.core.wait(Waiter<RequestStatus>(), for: id)
            #expect(bench.core.takeEffects().listens == [true])
            #expect(bench.commit(change).listens == [false], "\(change)")
            if case .settled = change { continue }  // only its own process receives this change
            bench = CoreHarness(1, isOpen: false, isShared: true)
            _ = bench.core.wait(Waiter<RequestStatus>(), for: id)
            #expect(bench.core.takeEffects().listens == [true])
            #expect(bench.hear(change).listens == [false], "\(change)")
        }
        var bench = CoreHarness(1, isOpen: false, isShared: true)
        _ = bench.core.wait(Waiter<RequestStatus>(), for: id)
        let look = try #require(bench.hear(.request(id, of: flight, .completed)).looks.first)
        #expect(bench.after(bench.core.found(.success(.cancelled), by: look)).listens == [false])
    }

    @Test("A process stops listening when its engine falls silent")
    func listeningEndsInSilence() {
        var bench = CoreHarness(1, isOpen: false, isShared: true)
        _ = bench.core.engineStarted()
        bench.open()
        _ = bench.core.wait(Waiter<RequestStatus>(), for: id)
        #expect(bench.after(bench.core.closed()).listens.isEmpty)
        #expect(bench.after(bench.core.engineEnded()).listens == [false])
    }

    @Test("A process with a store of its own does not listen")
    func unshared() {
        var bench = CoreHarness(1, isOpen: false)
        #expect(bench.open().listens.isEmpty)
        _ = bench.core.wait(Waiter<RequestStatus>(), for: id)
        #expect(bench.core.takeEffects().listens.isEmpty)
    }

    // MARK: Readers of output

    @Test("Readers are woken by a possible end of their stream and by output of other processes")
    func readers() {
        var bench = CoreHarness(1)
        bench.claim([bench.flight(1)])
        bench.start(1)
        #expect(bench.hear(.appended(flight)).isEmpty, "no one reads")
        bench.core.readers += 1
        #expect(bench.commit(.appended(flight)).wakes.isEmpty, "its attempt is here, and wakes them itself")
        #expect(bench.hear(.appended(FlightID(rawValue: 2))).wakes == [.flight(FlightID(rawValue: 2))])
        #expect(bench.commit(.request(id, of: flight, .cancelled)).wakes == [.request(id)])
        bench.core.progressed(bench.key(1), to: 0.5)
        let interrupted = settlement(bench, .interrupted, flight: .waiting, finished: [])
        #expect(bench.commit(.settled(interrupted)).wakes == [.flight(flight)])
        #expect(bench.hear(.request(id, of: flight, .completed)).wakes == [.request(id)])
    }
}

extension StatusStream {
    init(number: Int, statuses: AsyncThrowingStream<RequestStatus, any Error>) {
        self.number = number
        self.statuses = statuses
    }
}

extension [EngineCore.Effect] {
    /// The waits and streams that are to be ended.
    var ends: [(watched: [WatchedRequests.Watched], result: Result<RequestStatus, any Error>)] {
        compactMap { if case .end(let watched, let result) = $0 { (watched, result) } else { nil } }
    }

    /// Ends the waits and streams that are to be ended.
    func tellEnds() {
        for (watched, result) in ends { for each in watched { each.end(with: result) } }
    }

    /// The lookups in the store.
    var looks: [WatchedRequests.Look] {
        compactMap { if case .look(let look) = $0 { look } else { nil } }
    }

    /// The waits that may be revived.
    var revivals: [Revival] { compactMap { if case .revive(let revival) = $0 { revival } else { nil } } }

    /// Whether announcements stop or resume.
    var silences: [Bool] { compactMap { if case .silence(let isSilent) = $0 { isSilent } else { nil } } }

    /// The rows whose readers are woken.
    var wakes: [ChangedRow] {
        compactMap { effect in
            switch effect {
            case .wakeReaders(let id): .request(id)
            case .wakeReadersOfFlight(let flight): .flight(flight)
            default: nil
            }
        }
    }
}
