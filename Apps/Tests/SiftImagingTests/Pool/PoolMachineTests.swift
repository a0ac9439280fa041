import Testing

@testable import SiftImaging

/// The decisions of the pool.
struct PoolMachineTests {
    private func machine(workers: Int = 2, jobsPerWorker: Int = 100) -> PoolMachine {
        PoolMachine(.init(workers: [.decoding: workers, .metadata: 1], jobsPerWorker: jobsPerWorker))
    }

    @Test func workersStartWhenJobsNeedThem() {
        var machine = machine()
        #expect(machine.workerCount == 0)
        #expect(machine.submitted(1, lane: .decoding, priority: .visible) == [.startWorker(1), .run(1, on: 1)])
        #expect(machine.submitted(2, lane: .decoding, priority: .visible) == [.startWorker(2), .run(2, on: 2)])
        #expect(machine.submitted(3, lane: .decoding, priority: .visible) == [])
        #expect(machine.answered(1, job: 1, isLast: true) == [.deliver(1), .run(3, on: 1)])
        #expect(machine.answered(2, job: 2, isLast: true) == [.deliver(2)])
        // An idle worker is used before another is started.
        #expect(machine.submitted(4, lane: .decoding, priority: .visible) == [.run(4, on: 2)])
    }

    @Test func anExpectedJobFindsItsWorker() {
        var machine = machine()
        #expect(machine.expected(.decoding) == [.startWorker(1)])
        #expect(machine.expected(.decoding) == [])
        #expect(machine.submitted(1, lane: .decoding, priority: .visible) == [.run(1, on: 1)])
        #expect(machine.submitted(2, lane: .decoding, priority: .visible) == [.startWorker(2), .run(2, on: 2)])
        // A worker that cannot start is replaced when there is a job.
        _ = machine.expected(.metadata)
        #expect(machine.ended(3, .died) == [])
        #expect(machine.submitted(3, lane: .metadata, priority: .visible) == [.startWorker(4), .run(3, on: 4)])
        _ = machine.closed()
        #expect(machine.expected(.metadata) == [])
    }

    @Test func headersNeverWaitBehindDecodes() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        #expect(machine.submitted(2, lane: .metadata, priority: .visible) == [.startWorker(2), .run(2, on: 2)])
    }

    @Test func visibleJobsOvertakeBackgroundJobs() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .background)
        _ = machine.submitted(2, lane: .decoding, priority: .background)
        _ = machine.submitted(3, lane: .decoding, priority: .visible)
        _ = machine.submitted(4, lane: .decoding, priority: .visible)
        #expect(machine.answered(1, job: 1, isLast: true) == [.deliver(1), .run(3, on: 1)])
        #expect(machine.answered(1, job: 3, isLast: true) == [.deliver(3), .run(4, on: 1)])
        #expect(machine.answered(1, job: 4, isLast: true) == [.deliver(4), .run(2, on: 1)])
    }

    @Test func aWorkerIsReplacedAfterItsJobs() {
        var machine = machine(workers: 1, jobsPerWorker: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.submitted(2, lane: .decoding, priority: .visible)
        #expect(machine.answered(1, job: 1, isLast: true) == [.deliver(1), .endWorker(1)])
        #expect(machine.ended(1, .asked) == [.startWorker(2), .run(2, on: 2)])
    }

    @Test func aPhotoThatEndsAFreshWorkerFails() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.submitted(2, lane: .decoding, priority: .visible)
        #expect(machine.ended(1, .died) == [.fail(1, .died), .startWorker(2), .run(2, on: 2)])
    }

    @Test func aPhotoThatEndsAUsedWorkerGetsAFreshOne() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.answered(1, job: 1, isLast: true)
        _ = machine.submitted(2, lane: .decoding, priority: .visible)
        _ = machine.submitted(3, lane: .decoding, priority: .visible)
        #expect(machine.ended(1, .died) == [.startWorker(2), .run(2, on: 2)])
        #expect(machine.ended(2, .died) == [.fail(2, .died), .startWorker(3), .run(3, on: 3)])
    }

    @Test func aPhotoThatTakesTooLongFailsAtOnce() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.answered(1, job: 1, isLast: true)
        _ = machine.submitted(2, lane: .decoding, priority: .visible)
        #expect(machine.ended(1, .timedOut) == [.fail(2, .timedOut)])
    }

    @Test func anEarlyAnswerIsDeliveredOnceAndTheWorkerStaysBusy() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.submitted(2, lane: .decoding, priority: .visible)
        #expect(machine.answered(1, job: 1, isLast: false) == [.deliver(1)])
        #expect(machine.answered(1, job: 1, isLast: true) == [.run(2, on: 1)])
    }

    @Test func aWorkerThatDiesAfterItsEarlyAnswerFailsNobody() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.answered(1, job: 1, isLast: false)
        #expect(machine.ended(1, .died) == [])
        #expect(machine.jobCount == 0)
    }

    @Test func aCancelledJobThatWaitsNeverRuns() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.submitted(2, lane: .decoding, priority: .visible)
        #expect(machine.cancelled(2) == [.abandon(2)])
        #expect(machine.answered(1, job: 1, isLast: true) == [.deliver(1)])
    }

    @Test func aCancelledJobThatRunsIsNotDelivered() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        #expect(machine.cancelled(1) == [.abandon(1), .interrupt(1, on: 1)])
        #expect(machine.cancelled(1) == [])
        #expect(machine.answered(1, job: 1, isLast: true) == [])
        #expect(machine.jobCount == 0)
    }

    @Test func anAnswerToAnotherJobEndsTheWorker() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        #expect(machine.answered(1, job: 7, isLast: true) == [.killWorker(1)])
        #expect(machine.ended(1, .answeredNonsense("x")) == [.fail(1, .answeredNonsense("x"))])
    }

    @Test func closingFailsWhatWaitsAndEndsAllWorkers() {
        var machine = machine(workers: 1)
        _ = machine.submitted(1, lane: .decoding, priority: .visible)
        _ = machine.submitted(2, lane: .decoding, priority: .visible)
        #expect(machine.closed() == [.fail(2, nil), .killWorker(1)])
        #expect(machine.submitted(3, lane: .decoding, priority: .visible) == [.fail(3, nil)])
        #expect(machine.ended(1, .asked) == [.fail(1, nil), .announceClosed])
        var unused = self.machine()
        #expect(unused.closed() == [.announceClosed])
    }

    /// Random events against a bookkeeper that knows the promises and not the machine.
    @Test(arguments: 0..<300 as Range<UInt64>) func everyJobIsSettledOnce(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let workers = Int.random(in: 1...3, using: &numbers)
        let jobsPerWorker = Int.random(in: 1...4, using: &numbers)
        var machine = machine(workers: workers, jobsPerWorker: jobsPerWorker)
        let keeper = PoolBookkeeper(workers: workers)
        for step in 0..<200 {
            keeper.note(event(&machine, &numbers, keeper))
            keeper.check("seed \(seed), step \(step)")
        }
        keeper.note(machine.closed())
        while let worker = keeper.alive.keys.min() {
            keeper.alive[worker] = nil
            keeper.note(machine.ended(worker, .asked))
        }
        #expect(keeper.isClosed, "seed \(seed)")
        #expect(keeper.unsettled.isEmpty, "seed \(seed)")
        #expect(machine.workerCount == 0, "seed \(seed)")
        #expect(machine.jobCount == 0, "seed \(seed)")
    }

    private func event(
        _ machine: inout PoolMachine, _ numbers: inout SeededNumbers, _ keeper: PoolBookkeeper
    ) -> [PoolMachine.Action] {
        var machine_ = machine
        defer { machine = machine_ }
        let busy = keeper.alive.filter { $0.value != nil }.keys.sorted()
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0..<4:
            let id = UInt64.random(in: 1...(.max), using: &numbers)
            keeper.submitted(id)
            return machine_.submitted(
                id, lane: Bool.random(using: &numbers) ? .decoding : .metadata,
                priority: Bool.random(using: &numbers) ? .visible : .background)
        case 4..<8:
            guard let worker = busy.randomElement(using: &numbers), let job = keeper.alive[worker] ?? nil else {
                return []
            }
            let isLast = Int.random(in: 0..<4, using: &numbers) > 0
            if isLast { keeper.finished(worker) }
            return machine_.answered(worker, job: job, isLast: isLast)
        case 8:
            guard let worker = keeper.alive.keys.sorted().randomElement(using: &numbers) else { return [] }
            keeper.gone(worker)
            return machine_.ended(worker, [.died, .timedOut, .asked].randomElement(using: &numbers) ?? .died)
        default:
            guard let id = keeper.unsettled.sorted().randomElement(using: &numbers) else { return [] }
            return machine_.cancelled(id)
        }
    }
}

/// Knows which job runs where and which caller waits, from the actions alone.
final class PoolBookkeeper {
    var alive: [Int: UInt64?] = [:]
    var unsettled: Set<UInt64> = []
    var isClosed = false
    private let workers: Int
    private var problems: [String] = []

    init(workers: Int) { self.workers = workers }

    func submitted(_ id: UInt64) { unsettled.insert(id) }

    func finished(_ worker: Int) { alive[worker] = .some(nil) }

    func gone(_ worker: Int) { alive[worker] = nil }

    func note(_ actions: [PoolMachine.Action]) {
        for action in actions {
            switch action {
            case .startWorker(let worker): alive[worker] = .some(nil)
            case .run(let job, let worker):
                guard let current = alive[worker] else {
                    problems.append("job on a worker that does not exist")
                    continue
                }
                if current != nil { problems.append("two jobs on one worker") }
                if !unsettled.contains(job) { problems.append("a job runs for nobody") }
                alive[worker] = job
            case .deliver(let job), .fail(let job, _), .abandon(let job):
                if unsettled.remove(job) == nil { problems.append("a job is settled twice") }
            case .endWorker(let worker):
                if (alive[worker] ?? nil) != nil { problems.append("a busy worker is asked to end") }
            case .killWorker, .interrupt: break
            case .announceClosed: isClosed = true
            }
        }
    }

    func check(_ place: String) {
        #expect(problems.isEmpty, "\(place)")
        #expect(alive.count <= workers + 1, "\(place)")
        // Nothing waits while a worker that could run it does nothing for ever: every waiting job has a busy worker or an
        // ending one before it.
        if alive.isEmpty { #expect(unsettled.isEmpty, "\(place)") }
    }
}
