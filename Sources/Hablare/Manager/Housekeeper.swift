import Foundation
import HablareSupport
import Logging

/// Renews this process's registration, takes over requests from dead processes, and reads the changes of other
/// processes on the same store.
struct Housekeeper: Sendable {
    let manager: AIRequestManager
    /// The registrations of this process that it could not end. When the process registers again, it ends these
    /// registrations.
    private let unretired = Locked<Set<OwnerID>>([])

    init(_ manager: AIRequestManager) {
        self.manager = manager
    }

    private var leaseEnd: Date {
        let lease = manager.configuration.leaseDuration
        return manager.seams.date().addingTimeInterval(lease / .seconds(1))
    }

    // MARK: Registration

    struct Registration: Sendable {
        let owner: OwnerID
        let lockName: String
    }

    /// Takes the process's lock, registers the process with the store, and takes over requests from dead processes.
    func register() async throws -> Registration {
        let lockName = try manager.store.liveness?.acquire() ?? ""
        do {
            let registration = OwnerRegistration(
                host: manager.store.liveness?.host ?? "", processID: ProcessInfo.processInfo.processIdentifier,
                lockName: lockName, expiresAt: leaseEnd)
            guard case .owner(let owner) = try await manager.journal.commit(.registerOwner(registration)) else {
                throw AIServiceError(
                    .storageFailed, "The store did not register this process. This is a fault of the store: report it.")
            }
            do {
                try await reap(except: owner)
            } catch {
                // The engine does not start, so other processes need not find out that it is gone.
                await retire(owner)
                throw error
            }
            return Registration(owner: owner, lockName: lockName)
        } catch {
            manager.store.liveness?.release(lockName)
            throw error
        }
    }

    /// Registers the process with the store after a suspension. Tries again until the store accepts the registration,
    /// or until the engine is to be suspended again or shut down.
    func registerAgain() async -> Registration? {
        while manager.engine.read({ $0.suspensions.order }) == .work {
            do {
                return try await register()
            } catch {
                manager.logger.error(
                    "The engine cannot resume after its suspension; the engine tries again",
                    metadata: ["error": "\(error)"])
            }
            await manager.engine.untilNotToWork(within: manager.configuration.renewalInterval)
        }
        return nil
    }

    func deregister(_ registration: Registration) async {
        await retire(registration.owner)
        manager.store.liveness?.release(registration.lockName)
    }

    private func retire(_ owner: OwnerID) async {
        do {
            _ = try await manager.journal.commit(.retireOwner(owner, at: manager.seams.date()))
        } catch {
            manager.logger.error(
                "The process could not deregister; the next process deregisters it", metadata: ["error": "\(error)"])
            unretired.withLock { _ = $0.insert(owner) }
        }
    }

    /// Breaks the leases of dead processes, so that other processes can take their requests. If a process's lock shows
    /// that the process is dead, its leases are broken at once. Otherwise they are broken when they have expired.
    private func reap(except own: OwnerID) async throws {
        let date = manager.seams.date()
        let (others, gone) = try await manager.journal.readStore { store in
            let others = try store.owners().filter { $0.id != own }
            return (others, try store.gone(among: others, at: date))
        }
        let left = unretired.withLock { unretired in
            unretired.formIntersection(others.map(\.id))
            return unretired
        }
        for other in others where left.contains(other.id) || gone.contains(other.id) {
            let receipt = try await manager.journal.commit(.retireOwner(other.id, at: manager.seams.date()))
            if case .broken(let flights) = receipt { manager.observer.recovered(flights) }
            manager.logger.notice(
                "Took over the requests of a dead process",
                metadata: ["pid": "\(other.registration.processID)", "receipt": "\(receipt)"])
            unretired.withLock { _ = $0.remove(other.id) }
        }
    }

    /// Reads the pauses of accounts from the store, except pauses that were lifted. Other processes or earlier
    /// processes recorded them.
    func recallPauses() async {
        do {
            try await manager.journal.tellState(of: manager.engine.read(\.accountRows))
        } catch {
            // The provider asks for the pause again.
            manager.logger.error("The pauses of accounts could not be read", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Renewal

    func keepHouse(_ current: Locked<Registration>) async {
        while true {
            do {
                try await manager.seams.clock.sleep(for: manager.configuration.renewalInterval)
            } catch {
                return  // shut down
            }
            await renew(current)
            do {
                try await reap(except: current.withLock { $0.owner })
                try await manager.journal.readForeignChanges()
            } catch {
                manager.logger.error("Other processes could not be checked", metadata: ["error": "\(error)"])
            }
        }
    }

    private func renew(_ current: Locked<Registration>) async {
        let registration = current.withLock { $0 }
        do {
            // In one commit with the renewal: the deadlines of requests of other processes, which may be dead.
            let receipts = try await manager.journal.commit([
                .renewOwner(registration.owner, until: leaseEnd),
                .expire(at: manager.seams.date(), limit: Engine.sweepBatch),
            ])
            if case .refused = receipts.first {
                manager.logger.warning("Another process declared this process dead; this process registers again")
                try await startOver(current)
            } else if manager.engine.read(\.isUncertain) {
                manager.logger.warning("It is unknown whether a commit was made; this process registers again")
                try await startOver(current)
            }
            manager.engine.apply { $0.storeRecovered() }
            manager.engine.timePassed()
        } catch {
            manager.logger.error("The store cannot be written", metadata: ["error": "\(error)"])
            manager.engine.apply { $0.storeFailed(with: error) }
        }
    }

    /// Stops all attempts and continues under a new registration.
    ///
    /// There are two reasons to do so:
    /// - Another process assumed that this process was dead, and broke its leases. This happens if this process was
    ///   stopped for long, or if its lock was removed.
    /// - The outcome of a commit is unknown, so this process does not know which leases it has.
    ///
    /// In both cases, all leases of the old registration are broken.
    private func startOver(_ current: Locked<Registration>) async throws {
        await manager.engine.drain(grace: .zero)
        let old = current.withLock { $0 }
        if manager.engine.read(\.isUncertain) { await retire(old.owner) }
        manager.store.liveness?.release(old.lockName)
        let registration = try await register()
        current.withLock { $0 = registration }
        manager.engine.apply { $0.opened(as: registration.owner) }
    }

    /// Ends requests whose deadline has passed, as many as one commit allows. If more remain, later sweeps of the
    /// engine end them.
    func sweep() async {
        do {
            _ = try await manager.journal.commit(.expire(at: manager.seams.date(), limit: Engine.sweepBatch))
        } catch {
            // Tried again at the next renewal, by this process or another.
            manager.logger.error(
                "Requests past their deadline could not be ended", metadata: ["error": "\(error)"])
        }
    }
}
