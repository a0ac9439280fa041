public import Foundation
public import SiftCore
import Synchronization

/// Decodes photos in worker processes, so that a hostile file can end a worker and nothing else.
///
/// Workers start when they are needed and have no access to paths, keys or the app's memory: a job's photo is passed as an
/// open descriptor. A worker that dies, hangs or answers nonsense is replaced, and its photo fails with
/// `processingFailed`, while all others go on.
///
/// Cancelling a call's task returns at once, and interrupts a decode that runs; its result is dropped. Call ``close()``
/// before the pool's owner ends.
public final class ImagingPool: PhotoImaging {
    /// How a pool works.
    public struct Configuration: Sendable {
        /// How a worker is started.
        public var command: WorkerCommand
        /// How many workers decode at once. Default: the number of processors. One more reads headers.
        public var workers: Int
        /// How many jobs a worker does before another takes its place. Default 500.
        public var jobsPerWorker: Int
        /// The limits of each worker.
        public var limits: ImagingLimits
        /// The cache to read and fill. Default nil: none.
        public var thumbnails: ThumbnailCache?

        /// Creates a configuration.
        public init(
            command: WorkerCommand, workers: Int = ProcessInfo.processInfo.activeProcessorCount,
            jobsPerWorker: Int = 500, limits: ImagingLimits = ImagingLimits(), thumbnails: ThumbnailCache? = nil
        ) {
            self.command = command
            self.workers = max(1, workers)
            self.jobsPerWorker = max(1, jobsPerWorker)
            self.limits = limits
            self.thumbnails = thumbnails
        }
    }

    private typealias Outcome = Result<ImagingAnswer.Content, PhotoProcessingError>

    private struct State {
        var machine: PoolMachine
        var lines: [PoolMachine.WorkerID: WorkerLine] = [:]
        var jobs: [PoolMachine.JobID: (job: WorkerLine.Job, caller: CheckedContinuation<Outcome, Never>)] = [:]
        var closers: [CheckedContinuation<Void, Never>] = []
        var isClosed = false
        var nextJob: PoolMachine.JobID = 0
    }

    private let configuration: Configuration
    private let state: Mutex<State>

    /// Creates a pool. No worker starts before the first call, or before ``warmUp()``.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        let machine = PoolMachine(
            .init(
                workers: [.decoding: configuration.workers, .metadata: 1], jobsPerWorker: configuration.jobsPerWorker))
        state = Mutex(State(machine: machine))
    }

    /// Starts the first workers, so that the first photo need not wait for them. Returns at once.
    public func warmUp() {
        for lane in PoolMachine.Lane.allCases { apply { $0.expected(lane) } }
    }

    /// Reads the header in a worker that does nothing else, so that no decode is in its way.
    public func header(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoHeader {
        guard case .header(let header) = try await perform(.header, photo, .metadata, .visible) else {
            throw Self.nonsense
        }
        return header
    }

    /// Returns hashes and sharpness. Runs after all renditions that wait.
    public func features(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoFeatures {
        guard case .features(let features) = try await perform(.features, photo, .decoding, .background) else {
            throw Self.nonsense
        }
        return features
    }

    /// Returns the picture. A photo whose file is damaged gives what is left of it, and says so.
    public func rendition(
        of photo: OpenPhoto, _ size: RenditionSize
    ) async throws(PhotoProcessingError) -> Rendition {
        let content: ImagingAnswer.Content
        switch size {
        case .embedded: content = try await perform(.embedded, photo, .metadata, .visible)
        case .thumbnail:
            let access = thumbnails(photo, .large)
            content = try await perform(.rendition(edge: 256), photo, .decoding, .visible, access)
        case .card:
            let access = thumbnails(photo, .extraLarge)
            content = try await perform(.rendition(edge: 512), photo, .decoding, .visible, access)
        case .screen(let edge):
            content = try await perform(.rendition(edge: min(max(edge, 1), 65_535)), photo, .decoding, .visible)
        case .full: content = try await perform(.rendition(edge: 0), photo, .decoding, .visible)
        }
        guard case .rendition(let rendition) = content else { throw Self.nonsense }
        return rendition
    }

    /// Ends all workers, fails all calls, and returns when the last process is gone. Later calls fail.
    public func close() async {
        await withCheckedContinuation { caller in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.closers.append(caller) }
                return state.isClosed
            }
            if isClosed { caller.resume() } else { apply { $0.closed() } }
        }
    }

    /// The number of worker processes, ending ones included.
    public var workerCount: Int { state.withLock { $0.machine.workerCount } }

    private func thumbnails(_ photo: OpenPhoto, _ size: ThumbnailCache.Size) -> ThumbnailAccess? {
        // Whole seconds, rounded down also before 1970.
        let seconds = photo.version.modified / 1_000_000_000 - (photo.version.modified % 1_000_000_000 < 0 ? 1 : 0)
        guard let cache = configuration.thumbnails, let path = OpenFilePath.path(of: photo.descriptor),
            let key = ThumbnailCache.Key(path: path, modified: seconds)
        else { return nil }
        return ThumbnailAccess(cache: cache, key: key, size: size)
    }

    private func perform(
        _ kind: ImagingRequest.Kind, _ photo: OpenPhoto, _ lane: PoolMachine.Lane, _ priority: PoolMachine.Priority,
        _ thumbnails: ThumbnailAccess? = nil
    ) async throws(PhotoProcessingError) -> ImagingAnswer.Content {
        let id = state.withLock { state in
            state.nextJob += 1
            return state.nextJob
        }
        let job = WorkerLine.Job(id: id, photo: photo, kind: kind, thumbnails: thumbnails)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                state.withLock { $0.jobs[id] = (job, caller) }
                apply { $0.submitted(id, lane: lane, priority: priority) }
                // The handler may have run before there was a job to cancel.
                if Task.isCancelled { apply { $0.cancelled(id) } }
            }
        } onCancel: {
            apply { $0.cancelled(id) }
        }
        switch try outcome.get() {
        case .failure(let failure, let cause): throw Self.error(failure, cause)
        case let content: return content
        }
    }

    /// Applies an event to the machine, and does what follows from it.
    private func apply(answer: ImagingAnswer.Content? = nil, _ event: (inout PoolMachine) -> [PoolMachine.Action]) {
        // Starting and ordering a line only appends to its mailbox, so it happens under the lock: the order of actions is
        // the order of events. Callers resume outside it.
        let resumptions: [@Sendable () -> Void] = state.withLock { state in
            event(&state.machine).compactMap { action in perform(action, answer, &state) }
        }
        for resume in resumptions { resume() }
    }

    private func perform(
        _ action: PoolMachine.Action, _ answer: ImagingAnswer.Content?, _ state: inout State
    ) -> (@Sendable () -> Void)? {
        switch action {
        case .startWorker(let worker):
            state.lines[worker] = WorkerLine(configuration.command, configuration.limits) { [self] event in
                note(event, worker)
            }
            return nil
        case .run(let id, let worker):
            if let job = state.jobs[id]?.job { state.lines[worker]?.run(job) }
            return nil
        case .endWorker(let worker):
            state.lines[worker]?.end()
            return nil
        case .killWorker(let worker):
            state.lines[worker]?.kill()
            return nil
        case .deliver(let id): return settle(id, .success(answer ?? .failure(.damaged, "no answer")), &state)
        case .fail(let id, let end): return settle(id, .failure(Self.error(end)), &state)
        case .abandon(let id): return settle(id, .failure(PhotoProcessingError(.cancelled)), &state)
        case .interrupt(let id, let worker):
            state.lines[worker]?.interrupt(id)
            return nil
        case .announceClosed:
            let closers = state.closers
            state.closers = []
            state.isClosed = true
            return { for closer in closers { closer.resume() } }
        }
    }

    private func settle(_ id: PoolMachine.JobID, _ outcome: Outcome, _ state: inout State) -> (@Sendable () -> Void)? {
        guard let caller = state.jobs.removeValue(forKey: id)?.caller else { return nil }
        return { caller.resume(returning: outcome) }
    }

    private func note(_ event: WorkerLine.Event, _ worker: PoolMachine.WorkerID) {
        switch event {
        case .answered(let job, let isLast, let content):
            apply(answer: content) { $0.answered(worker, job: job, isLast: isLast) }
        case .ended(let end):
            state.withLock { state in state.lines[worker] = nil }
            apply { $0.ended(worker, end) }
        }
    }
}
