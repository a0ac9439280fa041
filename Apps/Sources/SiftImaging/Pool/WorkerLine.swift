import CSiftImaging
import Foundation
import SiftCore
import Synchronization

/// A thread that owns one worker process: it starts it, sends it jobs, waits for answers and ends it. Blocking calls stay
/// on this thread.
final class WorkerLine: Sendable {
    /// A job with all that the thread needs.
    struct Job: Sendable {
        let id: PoolMachine.JobID
        let photo: OpenPhoto
        let kind: ImagingRequest.Kind
        /// The cache to ask first, and to fill afterwards.
        let thumbnails: ThumbnailAccess?
    }

    /// A message of the thread to its owner.
    enum Event: Sendable {
        case answered(job: PoolMachine.JobID, isLast: Bool, ImagingAnswer.Content)
        case ended(PoolMachine.End)
    }

    private enum Order: Sendable {
        case run(Job)
        case end
    }

    private struct State {
        var orders: [Order] = []
        var process: Int32?
        var isKilled = false
        /// The job whose request was sent, and the way to its worker.
        var sent: (job: PoolMachine.JobID, sender: FrameSender)?
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Starts the thread. It reports `ended` exactly once, as its last event.
    init(_ command: WorkerCommand, _ limits: ImagingLimits, report: @escaping @Sendable (Event) -> Void) {
        let thread = Thread { [self] in report(.ended(serve(command, limits, report))) }
        thread.name = "sift-imaging"
        thread.start()
    }

    /// Gives the thread a job. It has at most one at a time.
    func run(_ job: Job) { order(.run(job)) }

    /// Ends the process when it has no job.
    func end() { order(.end) }

    /// Ends the process now.
    func kill() {
        state.withLock { state in
            state.isKilled = true
            // The process exists until `finish` removes its number, so the number is not another process's.
            if let process = state.process { _ = Foundation.kill(process, SIGKILL) }
        }
        order(.end)
    }

    /// Asks the worker to stop a job. Does nothing if the job is not with the worker.
    func interrupt(_ job: PoolMachine.JobID) {
        state.withLock { state in
            guard let sent = state.sent, sent.job == job else { return }
            // The line's thread sends under the same lock. If the worker is gone, that thread finds out by itself.
            do throws(Channel.Failure) { try sent.sender.send(WorkerMessage.interrupt(job).encoded) } catch {
                state.sent = nil
            }
        }
    }

    private func order(_ order: Order) {
        state.withLock { $0.orders.append(order) }
        signal.signal()
    }

    private func serve(
        _ command: WorkerCommand, _ limits: ImagingLimits, _ report: @Sendable (Event) -> Void
    ) -> PoolMachine.End {
        let worker: WorkerProcess
        do throws(WorkerFailure) { worker = try WorkerProcess(command, limits: limits) } catch { return error.end }
        let isKilled = state.withLock { state in
            state.process = worker.number
            return state.isKilled
        }
        defer { finish(worker) }
        if isKilled { return .asked }
        while true {
            signal.wait()
            switch state.withLock({ $0.orders.isEmpty ? .end : $0.orders.removeFirst() }) {
            case .end: return .asked
            case .run(let job):
                do throws(Channel.Failure) { try perform(job, worker, limits, report) } catch {
                    if state.withLock({ $0.isKilled }) { return .asked }
                    return switch error {
                    case .timedOut: .timedOut
                    case .violated(let what): .answeredNonsense(what)
                    case .closed, .system: .died
                    }
                }
            }
        }
    }

    private func finish(_ worker: WorkerProcess) {
        state.withLock { state in
            state.process = nil
            state.sent = nil
        }
        worker.end()
    }

    private func perform(
        _ job: Job, _ worker: WorkerProcess, _ limits: ImagingLimits, _ report: @Sendable (Event) -> Void
    ) throws(Channel.Failure) {
        let deadline = ContinuousClock.now + limits.timeout
        if let thumbnails = job.thumbnails {
            switch thumbnails.find() {
            case .nothing: break
            case .failure(let cause):
                return report(.answered(job: job.id, isLast: true, .failure(.damaged, cause)))
            case .picture(let file):
                defer { close(file) }
                // A cached picture that cannot be decoded is no answer about the photo.
                if let answer = try ask(worker, job, file, thumbnails: nil, deadline, { _ in }), !answer.isFailure {
                    return report(.answered(job: job.id, isLast: true, answer))
                }
            }
        }
        let last = try ask(worker, job, job.photo.descriptor, thumbnails: job.thumbnails, deadline) { content in
            report(.answered(job: job.id, isLast: false, content))
        }
        guard let last else { return }
        if case .thumbnailFile(let png) = last {
            job.thumbnails?.store(png)
        } else if case .failure(let failure, _) = last, failure == .notAnImage || failure == .damaged {
            job.thumbnails?.storeFailure()
        }
        report(.answered(job: job.id, isLast: true, last))
    }

    /// Sends a request for the job, and returns its last answer. Gives the others to `early`.
    private func ask(
        _ worker: WorkerProcess, _ job: Job, _ descriptor: Int32, thumbnails: ThumbnailAccess?,
        _ deadline: ContinuousClock.Instant, _ early: (ImagingAnswer.Content) -> Void
    ) throws(Channel.Failure) -> ImagingAnswer.Content? {
        let request = ImagingRequest(job: job.id, kind: job.kind, wantsThumbnailFile: thumbnails != nil)
        try state.withLock { state throws(Channel.Failure) in
            try worker.channel.sender.send(WorkerMessage.run(request).encoded, descriptor: descriptor)
            state.sent = (job.id, worker.channel.sender)
        }
        defer { state.withLock { $0.sent = nil } }
        // A worker that goes on answering does not extend its time, and no job has more than two answers.
        for _ in 0..<2 {
            let frame = try worker.channel.receive(until: deadline)
            worker.channel.closeDescriptors()
            let answer: ImagingAnswer
            do throws(WireViolation) { answer = try ImagingAnswer(decoding: frame) } catch {
                throw .violated(error.what)
            }
            guard answer.job == job.id, answer.fits(job.kind, isFirst: !answer.isLast) else {
                throw .violated("an answer to another question")
            }
            if answer.isLast { return answer.content }
            early(answer.content)
        }
        throw .violated("too many answers")
    }
}
