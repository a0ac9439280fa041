import Foundation
import Logging
import OrderedCollections

/// Ends requests whose deadline has come, on time: those of this process to the moment, those of others within a
/// renewal interval.
///
/// Whether a request is out of time is the store's to decide, in one commit with its flight; this actor only asks at
/// the right time, and tells whoever is concerned.
actor DeadlineWatch {
    /// How many requests are ended in one commit, at most.
    static let batch = 256

    private let journal: Journal
    private let hub: StatusHub
    private let dispatcher: Dispatcher
    private let clock: EngineClock
    private let date: @Sendable () -> Date
    private let spawner: TaskSpawner
    private let observer: EngineObserver
    private let logger: Logger

    private var isOpen = false
    private var next: Date?
    /// The earliest deadline that was noticed since the last sweep began: its answer may not know it.
    private var noticed: Date?
    private var timer: (fires: Date, task: Task<Void, Never>)?
    /// Ended, and not yet over: they are awaited at the end.
    private var sweeps: OrderedDictionary<Int, Task<Void, Never>> = [:]
    private var lastSweep = 0

    init(
        journal: Journal, hub: StatusHub, dispatcher: Dispatcher, seams: EngineSeams, observer: EngineObserver,
        logger: Logger
    ) {
        self.journal = journal
        self.hub = hub
        self.dispatcher = dispatcher
        self.clock = seams.clock
        self.date = seams.date
        self.spawner = TaskSpawner(executor: seams.taskExecutor)
        self.observer = observer
        self.logger = logger
    }

    /// The engine runs: whatever passed meanwhile is ended, then the next deadline is waited for.
    func open() async {
        isOpen = true
        await sweep()
    }

    func close() async {
        isOpen = false
        timer?.task.cancel()
        timer = nil
        next = nil
        // In an order that is the same in every run.
        while let (number, sweep) = sweeps.elements.first {
            await sweep.value
            sweeps[number] = nil
        }
    }

    /// A request with a deadline is on disk.
    func noticed(_ deadline: Date) {
        guard isOpen else { return }
        noticed = min(noticed ?? deadline, deadline)
        guard deadline < next ?? .distantFuture else { return }
        next = deadline
        arm()
    }

    /// Ends what is out of time.
    func sweep() async {
        do {
            var isMore = true
            while isMore {
                noticed = nil
                let receipt = try await journal.commit(.expire(at: date(), limit: Self.batch))
                isMore = await took(receipt)
            }
        } catch {
            next = nil
            // Tried again at the next renewal, by this process or another.
            logger.error("Requests that ran out of time could not be ended", metadata: ["error": "\(error)"])
        }
    }

    /// The store answered a sweep. Answers whether there is more to end.
    func took(_ receipt: WriteReceipt) async -> Bool {
        guard case .expired(let requests, let next) = receipt else { return false }
        for request in requests {
            if let token = request.token { dispatcher.cancelled(request.flight, token: token, because: .expired) }
            hub.announce(.failed(.deadlineExceeded), of: request.id)
        }
        self.next = [next, noticed].compactMap(\.self).min()
        arm()
        observer.finished(requests.count, with: .expired)
        return requests.count >= Self.batch
    }

    private func arm() {
        guard isOpen, let next else { return }
        if let timer, timer.fires <= next { return }
        timer?.task.cancel()
        // From now, not from when the task gets to run.
        let wake = clock.now + max(Duration.milliseconds(1), .between(date(), next))
        timer = (
            next,
            spawner.start { [weak self, clock] in
                do {
                    try await clock.sleep(until: wake)
                } catch {
                    return  // replaced by an earlier timer, or shut down
                }
                await self?.timerFired()
            }
        )
    }

    private func timerFired() {
        timer = nil
        next = nil
        guard isOpen else { return }
        lastSweep += 1
        let number = lastSweep
        sweeps[number] = spawner.start { [weak self] in
            await self?.sweep()
            await self?.sweepEnded(number)
        }
    }

    private func sweepEnded(_ number: Int) {
        sweeps[number] = nil
    }
}
