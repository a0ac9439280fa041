/// Decides which job runs on which worker. Does no I/O: each event returns the actions that follow from it.
///
/// - Jobs of a lane run in the order of their priority, then in the order of their submission.
/// - Workers start when a job needs one, at most as many a lane as the configuration says, and end after a number of jobs.
/// - A job whose worker ends runs once more, on a fresh worker, if its first worker had served other jobs before: those
///   may have broken it. A job that ends a fresh worker fails, and so does one that takes too long.
struct PoolMachine {
    typealias JobID = UInt64
    typealias WorkerID = Int

    /// The workers that a job may run on.
    enum Lane: Hashable, Sendable, CaseIterable {
        /// Reads a few kilobytes: never waits behind a decode.
        case metadata
        /// Decodes.
        case decoding
    }

    /// How soon a job runs.
    enum Priority: Int, Comparable, Sendable {
        case background
        case visible

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Why a worker ended.
    enum End: Hashable, Sendable {
        case asked
        case timedOut
        case died
        case answeredNonsense(String)
        case notStarted(String)
    }

    enum Action: Hashable, Sendable {
        case startWorker(WorkerID)
        case run(JobID, on: WorkerID)
        /// The worker has no job: end its process.
        case endWorker(WorkerID)
        /// The worker may be in the middle of a job: end its process now.
        case killWorker(WorkerID)
        /// Give the answer to the job's caller.
        case deliver(JobID)
        /// Tell the job's caller that it failed. Nil: the pool is closed.
        case fail(JobID, End?)
        /// Tell the job's caller that the job was cancelled.
        case abandon(JobID)
        /// Ask the worker to stop a job whose caller is gone. Its last answer still comes.
        case interrupt(JobID, on: WorkerID)
        /// All workers have ended.
        case announceClosed
    }

    struct Configuration: Hashable, Sendable {
        var workers: [Lane: Int]
        var jobsPerWorker: Int
    }

    private struct Job {
        let lane: Lane
        let priority: Priority
        var hadUsedWorker = false
        /// Whether the caller has its answer, or does not want it any more.
        var isSettled = false
    }

    private struct Worker {
        let lane: Lane
        var jobsDone = 0
        var job: JobID?
        var isEnding = false
    }

    private let configuration: Configuration
    private var jobs: [JobID: Job] = [:]
    private var waiting: [Lane: [JobID]] = [:]
    private var workers: [WorkerID: Worker] = [:]
    private var nextWorker: WorkerID = 0
    private var isClosing = false

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// The number of workers that exist, ending ones included.
    var workerCount: Int { workers.count }
    /// The number of jobs that wait or run, those included whose callers are gone.
    var jobCount: Int { jobs.count }

    /// A caller wants a job. The id is new.
    mutating func submitted(_ id: JobID, lane: Lane, priority: Priority) -> [Action] {
        guard !isClosing else { return [.fail(id, nil)] }
        jobs[id] = Job(lane: lane, priority: priority)
        enqueue(id)
        return assign(lane)
    }

    /// Jobs of a lane will come soon. Starts its first worker, so that they need not wait for that.
    mutating func expected(_ lane: Lane) -> [Action] {
        guard !isClosing, !workers.values.contains(where: { $0.lane == lane }) else { return [] }
        nextWorker += 1
        workers[nextWorker] = Worker(lane: lane)
        return [.startWorker(nextWorker)]
    }

    /// A caller does not want its job any more. The worker of a job that runs stays busy until its last answer.
    mutating func cancelled(_ id: JobID) -> [Action] {
        guard let job = jobs[id], !job.isSettled else { return [] }
        if let (worker, _) = workers.first(where: { $0.value.job == id }) {
            jobs[id]?.isSettled = true
            return [.abandon(id), .interrupt(id, on: worker)]
        }
        waiting[job.lane]?.removeAll { $0 == id }
        jobs[id] = nil
        return [.abandon(id)]
    }

    /// A worker sent an answer. An answer to another job than its own is nonsense.
    mutating func answered(_ worker: WorkerID, job id: JobID, isLast: Bool) -> [Action] {
        guard let current = workers[worker], !current.isEnding else { return [] }
        guard current.job == id, let job = jobs[id] else {
            workers[worker]?.isEnding = true
            return [.killWorker(worker)]
        }
        var actions: [Action] = []
        if !job.isSettled {
            jobs[id]?.isSettled = true
            actions.append(.deliver(id))
        }
        guard isLast else { return actions }
        jobs[id] = nil
        workers[worker]?.job = nil
        workers[worker]?.jobsDone += 1
        if current.jobsDone + 1 >= configuration.jobsPerWorker {
            workers[worker]?.isEnding = true
            return actions + [.endWorker(worker)]
        }
        return actions + assign(current.lane)
    }

    /// A worker's process is gone.
    mutating func ended(_ worker: WorkerID, _ end: End) -> [Action] {
        guard let gone = workers.removeValue(forKey: worker) else { return [] }
        var actions: [Action] = []
        if let id = gone.job, let job = jobs[id] {
            if job.isSettled {
                jobs[id] = nil
            } else if isClosing {
                jobs[id] = nil
                actions.append(.fail(id, nil))
            } else if end == .died, gone.jobsDone > 0, !job.hadUsedWorker {
                jobs[id]?.hadUsedWorker = true
                enqueue(id, first: true)
            } else {
                jobs[id] = nil
                actions.append(.fail(id, end))
            }
        }
        if isClosing { return actions + (workers.isEmpty ? [.announceClosed] : []) }
        return actions + assign(gone.lane)
    }

    /// The pool's owner ends it. Waiting jobs fail, workers end at once.
    mutating func closed() -> [Action] {
        guard !isClosing else { return [] }
        isClosing = true
        var actions: [Action] = []
        for lane in Lane.allCases {
            for id in waiting[lane] ?? [] {
                jobs[id] = nil
                actions.append(.fail(id, nil))
            }
            waiting[lane] = []
        }
        for id in workers.keys.sorted() {
            workers[id]?.isEnding = true
            actions.append(.killWorker(id))
        }
        return actions + (workers.isEmpty ? [.announceClosed] : [])
    }

    private mutating func enqueue(_ id: JobID, first: Bool = false) {
        guard let job = jobs[id] else { return }
        var queue = waiting[job.lane] ?? []
        let place =
            first
            ? 0 : queue.firstIndex { other in (jobs[other]?.priority ?? .background) < job.priority } ?? queue.count
        queue.insert(id, at: place)
        waiting[job.lane] = queue
    }

    /// Gives waiting jobs to idle workers, and starts workers for the rest.
    private mutating func assign(_ lane: Lane) -> [Action] {
        var actions: [Action] = []
        while let id = waiting[lane]?.first, let (worker, isNew) = freeWorker(lane, for: id) {
            waiting[lane]?.removeFirst()
            workers[worker]?.job = id
            if isNew { actions.append(.startWorker(worker)) }
            actions.append(.run(id, on: worker))
        }
        return actions
    }

    private mutating func freeWorker(_ lane: Lane, for id: JobID) -> (WorkerID, isNew: Bool)? {
        let ours = workers.filter { $0.value.lane == lane }
        let needsFresh = jobs[id]?.hadUsedWorker ?? false
        let idle = ours.filter { $0.value.job == nil && !$0.value.isEnding && (!needsFresh || $0.value.jobsDone == 0) }
        // The one that was started first, so that the others stay idle.
        if let worker = idle.keys.min() { return (worker, false) }
        guard ours.count < max(1, configuration.workers[lane] ?? 1) else { return nil }
        nextWorker += 1
        workers[nextWorker] = Worker(lane: lane)
        return (nextWorker, true)
    }
}
