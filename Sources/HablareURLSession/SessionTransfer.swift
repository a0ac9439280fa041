import Dispatch
import Foundation
import HTTPTypes
import Hablare
import HablareProviders

#if canImport(FoundationNetworking)
import FoundationNetworking
import HablareSupport
#endif

/// A transfer over a session. It passes the events of the session, of the reader and of the caller to
/// ``TransferMachine``, and performs the actions that the machine returns.
final class SessionTransfer: AnswerTransfer {
    private struct State: Sendable {
        var machine: TransferMachine
        var task: URLSessionTask?
        var caller: CheckedContinuation<HTTPAnswer, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
        /// Whether it is certain that a part of the call was passed to a connection.
        var isProven = false
        var isSuspended = false
        /// The number of bytes received after the server should have stopped sending.
        var unread = 0
    }

    private let state: Locked<State>
    private let mostUnread: Int

    init(idleTimeout: Duration, mostUnread: Int) {
        state = Locked(State(machine: TransferMachine(idleTimeout: idleTimeout)))
        self.mostUnread = max(mostUnread, TransferMachine.mostHeld)
    }

    // MARK: The caller

    /// Starts the task. Returns when the head of the answer (status and header fields) arrives. Cancelling the task
    /// ends the transfer.
    ///
    /// - Parameter start: A closure that creates the session's task and does not resume it. It throws an error if the
    ///   session no longer exists.
    func answer(_ start: @Sendable () throws(HTTPFailure) -> URLSessionTask) async throws -> HTTPAnswer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.machine.ending == nil { state.caller = continuation }
                    return state.machine.ending != nil
                }
                // Before the start, only a cancellation can have ended the transfer.
                if isOver { return continuation.resume(throwing: CancellationError()) }
                do {
                    let task = try start()
                    let now = Self.now
                    let isEnded = state.withLock { state in
                        state.task = task
                        // Nothing tells when the head is sent. From here on it may have been.
                        state.machine.headSent(at: now)
                        return state.machine.ending != nil
                    }
                    guard !isEnded else { return task.cancel() }
                    task.resume()
                    check()
                } catch {
                    failed(error)
                }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        let ended = state.withLock { state in state.machine.cancelled() ? Self.takeAll(&state) : nil }
        ended?.end(with: .cancelled, abort: true)
    }

    // MARK: The reader

    /// Returns the next piece. Cancelling the task ends the transfer.
    func next() async throws -> Data? {
        if Task.isCancelled { cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let now = Self.now
                let (portion, resumed) = state.withLock { state -> (TransferMachine.Portion, URLSessionTask?) in
                    let portion = state.machine.asked(at: now)
                    switch portion {
                    case .bytes:
                        state.unread = 0
                        defer { state.isSuspended = false }
                        return (portion, state.isSuspended ? state.task : nil)
                    case .wait: state.reader = continuation
                    case .end: break
                    }
                    return (portion, nil)
                }
                resumed?.resume()
                switch portion {
                case .bytes(let bytes, _): continuation.resume(returning: bytes)
                case .end(let ending): continuation.resume(with: ending.result)
                case .wait: break
                }
            }
        } onCancel: {
            cancel()
        }
    }

    func left() {
        let now = Self.now
        let (until, resumed) = state.withLock { state in
            let until = state.machine.left(at: now)
            defer { state.isSuspended = false }
            return (until, state.isSuspended ? state.task : nil)
        }
        resumed?.resume()
        if let until { look(in: until - now) }
    }

    // MARK: The session

    /// Records that a part of the call's body was sent.
    func partSent() {
        let now = Self.now
        state.withLock { state in
            state.isProven = true
            state.machine.partSent(at: now)
        }
    }

    /// Records the answer's head (status and header fields). Later heads are ignored.
    func headReceived(status: Int, fields: HTTPFields) {
        let now = Self.now
        let caller = state.withLock { state -> CheckedContinuation<HTTPAnswer, any Error>? in
            state.isProven = true
            guard state.machine.headReceived(at: now) else { return nil }
            defer { state.caller = nil }
            return state.caller
        }
        caller?.resume(returning: HTTPAnswer(status: status, fields: fields, body: pieces))
    }

    /// Records a piece of the answer's body.
    func received(_ piece: Data) {
        guard !piece.isEmpty else { return }
        let now = Self.now
        let (reader, waiting, suspended) = state.withLock {
            state -> (CheckedContinuation<Data?, any Error>?, Waiting?, URLSessionTask?) in
            switch state.machine.received(piece, readerWaits: state.reader != nil, at: now) {
            case .deliver:
                defer { state.reader = nil }
                return (state.reader, nil, nil)
            case .abort: return (nil, Self.takeAll(&state), nil)
            case .holdBack: return hold(piece.count, &state)
            case .hold, .drop: return (nil, nil, nil)
            }
        }
        reader?.resume(returning: piece)
        suspended?.suspend()
        if let waiting {
            waiting.end(with: state.withLock { $0.machine.ending } ?? .cancelled, abort: true)
        }
    }

    /// Makes the server wait, because the reader is slow. If this is impossible and there are too many unread bytes,
    /// ends the transfer.
    private func hold(
        _ count: Int, _ state: inout State
    ) -> (CheckedContinuation<Data?, any Error>?, Waiting?, URLSessionTask?) {
        #if canImport(Darwin)
        defer { state.isSuspended = true }
        return (nil, nil, state.isSuspended ? nil : state.task)
        #else
        // A suspended task of the open-source Foundation sends its call again when it is resumed.
        state.unread += count
        guard state.unread > mostUnread else { return (nil, nil, nil) }
        let failure = HTTPFailure(.other, mayHaveArrived: true, cause: "more than \(mostUnread) bytes are unread")
        return (nil, state.machine.failed(failure) ? Self.takeAll(&state) : nil, nil)
        #endif
    }

    /// Records that the session has ended the transfer.
    func ended(_ error: (any Error)?) {
        if let error { return failed(error) }
        let ended = state.withLock { state -> (Waiting, Bool)? in
            let hasCaller = state.caller != nil
            return state.machine.finished() ? (Self.takeAll(&state), hasCaller) : nil
        }
        guard let (waiting, hasCaller) = ended else { return }
        // An end without a head is no answer.
        let lost = HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "the answer has no head")
        waiting.end(with: hasCaller ? .failed(lost) : .complete, abort: false)
    }

    /// Ends the transfer with an error, if the transfer is still running.
    func failed(_ error: any Error) {
        let result = state.withLock { state -> (Waiting, HTTPFailure)? in
            let failure = SessionFault.failure(for: error, isProven: state.isProven)
            return state.machine.failed(failure) ? (Self.takeAll(&state), failure) : nil
        }
        if let (waiting, failure) = result { waiting.end(with: .failed(failure), abort: true) }
    }

    private func check() {
        let now = Self.now
        let (next, waiting) = state.withLock { state -> (TransferMachine.Watch, Waiting?) in
            let next = state.machine.checked(at: now)
            return (next, next == .abort ? Self.takeAll(&state) : nil)
        }
        switch next {
        case .over: break
        case .again(let time): look(in: time - now)
        case .abort: waiting?.end(with: state.withLock { $0.machine.ending } ?? .cancelled, abort: true)
        }
    }

    /// Checks the idle timeout after a time, unless the transfer is released before that.
    private func look(in time: Duration) {
        let (seconds, attoseconds) = max(time, .zero).components
        // At most a day: the check comes again.
        let pause = Int(min(seconds, 86_400)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(pause)) { [weak self] in self?.check() }
    }

    // MARK: Endings

    /// The waiting callers and readers of a transfer. They are taken out of the state, so that they can be resumed
    /// outside the lock.
    private struct Waiting: Sendable {
        let task: URLSessionTask?
        let caller: CheckedContinuation<HTTPAnswer, any Error>?
        let reader: CheckedContinuation<Data?, any Error>?

        func end(with ending: TransferMachine.Ending, abort: Bool) {
            if abort { task?.cancel() }
            reader?.resume(with: ending.result)
            switch ending {
            case .complete, .cancelled: caller?.resume(throwing: CancellationError())
            case .failed(let failure): caller?.resume(throwing: failure)
            }
        }
    }

    private static func takeAll(_ state: inout State) -> Waiting {
        defer {
            state.caller = nil
            state.reader = nil
        }
        return Waiting(task: state.task, caller: state.caller, reader: state.reader)
    }

    private static var now: Duration { .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds)) }
}
