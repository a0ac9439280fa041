import Foundation
import Hablare
import HablareProviders

struct RequestStanding: Sendable {
    var snapshot: RequestSnapshot
    /// Whether the request was executing when its process ended, and no other process has recovered the request since.
    var isInterrupted = false

    var state: String { isInterrupted ? StateOption.interrupted.rawValue : snapshot.phase.rawValue }

    /// Whether the request is in a batch of its service, or waits for other requests that will join its batch.
    var isInBatch: Bool { snapshot.phase == .executing && !isInterrupted && BatchName.isBatch(snapshot.providerID) }

    /// The reason why the request waits, as `ps` prints it and `--json` has it; `nil` if it does not wait.
    var waitingWord: String? { isInBatch ? "in-batch" : snapshot.waiting?.word }

    func waitingCell(at time: LocalTime) -> String {
        isInBatch ? "in-batch" : snapshot.waiting?.cell(at: time) ?? "-"
    }

    func waitingSentence(at time: LocalTime) -> String? {
        guard isInBatch else { return snapshot.waiting?.sentence(provider: snapshot.providerID, at: time) }
        return Self.batchSentence(snapshot.providerID, until: snapshot.deadline, at: time)
    }

    static func batchSentence(_ provider: ProviderID, until deadline: Date?, at time: LocalTime) -> String {
        let leaves = deadline.map { deadline in
            "; called live if that has not ended at "
                + time.clock(deadline.addingTimeInterval(-VendorBatchProvider.usualReserve))
        }
        return "in a batch of \(BatchName.live(of: provider)), at half of the price" + (leaves ?? "")
    }

    static func interruption(of request: AIRequest, work: String) -> String {
        if request.unknownOutcome == .hold {
            return "its process ended, the outcome of its attempt is unknown, and it may have been billed: "
                + "the next process on this store holds it, such as \(work)"
        }
        if let streaming = request.streaming, !streaming.allowsRestart {
            return """
                its process ended; the next process on this store, such as \(work), fails it if its answer had begun \
                to stream, and runs it again if not
                """
        }
        return "its process ended; to continue it: \(work)"
    }
}

extension Composition {
    /// Returns the states of requests, including the effects of limits, failing providers and ended processes.
    func standings(
        of snapshots: [RequestSnapshot], in store: any RequestStore, _ settings: Settings
    ) throws -> [RequestStanding] {
        let found = try standings(of: snapshots, in: store)
        let explained = try store.explaining(found.map(\.snapshot), now: seams.date())
        let needsProviders = explained.contains(where: \.isUnclaimed)
        let programs = try needsProviders ? providers(.forAsking()) : []
        let known = KnownProviders(programs: programs, services: settings.services)
        return zip(found, explained).map { standing, snapshot in
            var standing = standing
            standing.snapshot = snapshot
            if snapshot.isUnclaimed, !known.has(snapshot.providerID.rawValue) {
                standing.snapshot.waiting = .noProvider
            }
            return standing
        }
    }

    /// Returns the states of requests. Requests of ended processes are marked as interrupted or unclaimed.
    func standings(of snapshots: [RequestSnapshot], in store: any RequestStore) throws -> [RequestStanding] {
        let abandoned = try abandoned(snapshots, in: store)
        return snapshots.map { snapshot in
            var standing = RequestStanding(snapshot: snapshot)
            guard let flight = snapshot.flight, abandoned.contains(flight) else { return standing }
            if snapshot.phase == .executing {
                standing.isInterrupted = true
            } else if case .queued = snapshot.waiting {
                standing.snapshot.waiting = .unclaimed(ahead: nil)
                standing.snapshot.holder = nil
            }
            return standing
        }
    }

    func interrupted(in store: any RequestStore) throws -> [RequestSnapshot] {
        var found: [RequestSnapshot] = []
        try store.forEachPage(SnapshotFilter(phases: [.executing], limit: 500)) { page in
            found += try standings(of: page, in: store).filter(\.isInterrupted).map(\.snapshot)
        }
        return found
    }

    /// Returns the generation of an answer that an ended attempt left incomplete; `nil` if there is none. A generation
    /// is one version of the answer.
    func endedGeneration(of id: UUID, in store: any RequestStore) throws -> Int? {
        // Read the chunks first: an attempt that begins meanwhile has another generation.
        guard let page = try store.stream(of: id, from: StreamPosition(sequence: 0), maximumBytes: 1),
            !page.chunks.isEmpty,
            let flight = try store.flights([page.flight])[page.flight],
            let snapshot = try store.snapshot(of: id)
        else { return nil }
        switch snapshot.phase {
        case .pending: return page.generation
        case .executing:
            let isContinued = try flight.generation == page.generation && abandoned([snapshot], in: store).isEmpty
            return isContinued ? nil : page.generation
        case .completed, .failed, .cancelled: return nil
        }
    }

    /// Returns the flights whose process has ended and whose lease no other process has taken over yet. A flight is the
    /// shared work for identical requests.
    func abandoned(_ snapshots: [RequestSnapshot], in store: any RequestStore) throws -> Set<FlightID> {
        let flights = Set(snapshots.filter { $0.holder != nil }.compactMap(\.flight))
        guard !flights.isEmpty else { return [] }
        let gone = try store.gone(among: store.owners(), at: store.date?() ?? seams.date())
        guard !gone.isEmpty else { return [] }
        let leases = try store.flights(Array(flights))
        return flights.filter { leases[$0]?.owner.map(gone.contains) ?? false }
    }
}

extension RequestSnapshot {
    fileprivate var isUnclaimed: Bool {
        if case .unclaimed = waiting { true } else { false }
    }
}
