import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareSupport
import NIOCore
import NIOHTTP1

/// A transfer over the network. It passes the events of the client library, of the reader and of the caller to
/// ``TransferMachine``, and performs the actions that the machine returns.
///
/// It uses the library's delegate instead of the library's async call, for two reasons:
///
/// - Only the delegate learns when the call was passed to the connection. So only the delegate knows whether the call
///   may have arrived.
/// - A timeout can end the transfer without a task for each piece.
final class Transfer: HTTPClientResponseDelegate, AnswerTransfer {
    typealias Response = Void

    private struct State: Sendable {
        var machine: TransferMachine
        var task: HTTPClient.Task<Void>?
        var caller: CheckedContinuation<HTTPAnswer, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
        /// The library's promise. The transfer completes it when the server may send more.
        var demand: EventLoopPromise<Void>?
        var watch: Scheduled<Void>?
    }

    private let state: Locked<State>
    private let idleTimeout: Duration
    private let isProxied: Bool

    init(idleTimeout: Duration, lingering: Duration, isProxied: Bool) {
        self.idleTimeout = idleTimeout
        self.isProxied = isProxied
        state = Locked(State(machine: TransferMachine(idleTimeout: idleTimeout, lingering: lingering)))
    }

    // MARK: The caller

    /// Sends the call. Returns when the head of the answer (status and header fields) arrives. Cancelling the task ends
    /// the transfer.
    ///
    /// - Parameters:
    ///   - isUpload: Whether the body is sent piece by piece.
    ///   - isShutDown: A closure that returns whether the client may have been shut down. After it has returned `true`,
    ///     it always returns `true`.
    func answer(
        to request: HTTPClient.Request, from client: HTTPClient, isUpload: Bool, isShutDown: @Sendable () -> Bool
    ) async throws -> HTTPAnswer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.machine.ending == nil { state.caller = continuation }
                    return state.machine.ending != nil
                }
                // Before the start, only a cancellation can have ended the transfer.
                if isOver { return continuation.resume(throwing: CancellationError()) }
                let task = client.execute(request: request, delegate: self)
                let isEnded = state.withLock { state in
                    state.task = task
                    return state.machine.ending != nil
                }
                if isEnded { task.cancel() }
                // The delegate does not learn of two ends, which only the task reports: a client that was already shut
                // down, and an upload whose end cannot be sent after the answer's end. Observing every task would wake
                // its thread once more per call.
                if isUpload || isShutDown() { task.futureResult.whenFailure { self.failed($0) } }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the transfer with a cancellation.
    private func cancel() {
        let ended = state.withLock { state in
            state.machine.cancelled() ? Self.takeAll(&state) : nil
        }
        ended?.end(with: .cancelled, abort: true)
    }

    // MARK: The reader

    /// Returns the next piece. Cancelling the task ends the transfer.
    func next() async throws -> Data? {
        if Task.isCancelled { cancel() }
        let (portion, demand) = ask(nil)
        demand?.succeed()
        switch portion {
        case .bytes(let bytes, _): return bytes
        case .end(let ending): return try ending.result.get()
        case .wait: break
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (portion, demand) = ask(continuation)
                demand?.succeed()
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

    /// Receives the rest of the answer for at most `lingering`, after the reader has left.
    func left() {
        let now = Self.now
        let (until, task, demand) = state.withLock { state in
            let until = state.machine.left(at: now)
            defer { state.demand = nil }
            return (until, state.task, state.demand)
        }
        demand?.succeed()
        // The answer comes from `answer(to:from:)`, which returns only after the task is stored.
        if let until, let task {
            // Scheduled outside the lock. The idle watch continues and finds nothing to do.
            task.eventLoop.scheduleTask(in: TimeAmount(until - now)) { self.check() }
        }
    }

    private func ask(
        _ continuation: CheckedContinuation<Data?, any Error>?
    ) -> (TransferMachine.Portion, EventLoopPromise<Void>?) {
        let now = Self.now
        return state.withLock { state in
            let portion = state.machine.asked(at: now)
            switch portion {
            case .bytes(_, letsContinue: true):
                defer { state.demand = nil }
                return (portion, state.demand)
            case .wait:
                state.reader = continuation
                return (portion, nil)
            default: return (portion, nil)
            }
        }
    }

    // MARK: The client library

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        let now = Self.now
        // The idle timeout starts here; before, the connect timeout applies.
        let watch = task.eventLoop.scheduleTask(in: TimeAmount(idleTimeout)) { self.check() }
        let isOver = state.withLock { state in
            state.machine.headSent(at: now)
            state.watch = watch
            return state.machine.ending != nil
        }
        if isOver { watch.cancel() }
    }

    func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) {
        let now = Self.now
        state.withLock { $0.machine.partSent(at: now) }
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        let now = Self.now
        state.withLock { $0.machine.partSent(at: now) }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let now = Self.now
        let caller = state.withLock { state -> CheckedContinuation<HTTPAnswer, any Error>? in
            guard state.machine.headReceived(at: now) else { return nil }
            defer { state.caller = nil }
            return state.caller
        }
        caller?.resume(
            returning: HTTPAnswer(
                status: Int(head.status.code), fields: HTTPFields(head.headers), body: pieces))
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        guard part.readableBytes > 0 else { return task.eventLoop.makeSucceededVoidFuture() }
        let now = Self.now
        let piece = part.withUnsafeReadableBytes { bytes in
            bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
        }
        let promise = task.eventLoop.makePromise(of: Void.self)
        let (receipt, reader, waiting) = state.withLock {
            state -> (TransferMachine.Receipt, CheckedContinuation<Data?, any Error>?, Waiting?) in
            let receipt = state.machine.received(piece, readerWaits: state.reader != nil, at: now)
            switch receipt {
            case .deliver:
                defer { state.reader = nil }
                return (receipt, state.reader, nil)
            case .abort: return (receipt, nil, Self.takeAll(&state))
            case .holdBack: state.demand = promise
            case .hold, .drop: break
            }
            return (receipt, nil, nil)
        }
        switch receipt {
        case .deliver(let piece):
            reader?.resume(returning: piece)
            promise.succeed()
        case .hold, .drop: promise.succeed()
        case .holdBack: break
        case .abort:
            promise.fail(CancellationError())
            waiting?.end(with: .cancelled, abort: true)
        }
        return promise.futureResult
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        failed(error)
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        let ended = state.withLock { state in
            state.machine.finished() ? Self.takeAll(&state) : nil
        }
        ended?.end(with: .complete, abort: false)
    }

    private func failed(_ error: any Error) {
        let result = state.withLock { state -> (Waiting, HTTPFailure)? in
            let failure = NetworkFault.failure(for: error, isSent: state.machine.isSent, isProxied: isProxied)
            return state.machine.failed(failure) ? (Self.takeAll(&state), failure) : nil
        }
        if let (waiting, failure) = result { waiting.end(with: .failed(failure), abort: false) }
    }

    private func check() {
        let now = Self.now
        let (next, task, waiting) = state.withLock {
            state -> (TransferMachine.Watch, HTTPClient.Task<Void>?, Waiting?) in
            let next = state.machine.checked(at: now)
            return (next, state.task, next == .abort ? Self.takeAll(&state) : nil)
        }
        switch next {
        case .over: break
        case .again(let time):
            guard let task else { return }
            let watch = task.eventLoop.scheduleTask(in: TimeAmount(time - now)) { self.check() }
            let isOver = state.withLock { state in
                state.watch = watch
                return state.machine.ending != nil
            }
            if isOver { watch.cancel() }
        case .abort:
            let ending = state.withLock { $0.machine.ending } ?? .cancelled
            waiting?.end(with: ending, abort: true)
        }
    }

    // MARK: Endings

    /// The waiting callers and readers of a transfer. They are taken out of the state, so that they can be resumed
    /// outside the lock.
    private struct Waiting: Sendable {
        let task: HTTPClient.Task<Void>?
        let caller: CheckedContinuation<HTTPAnswer, any Error>?
        let reader: CheckedContinuation<Data?, any Error>?
        let demand: EventLoopPromise<Void>?
        let watch: Scheduled<Void>?

        func end(with ending: TransferMachine.Ending, abort: Bool) {
            watch?.cancel()
            if abort {
                task?.cancel()
                // The library waits for this promise before it releases a connection whose answer is held back.
                demand?.fail(CancellationError())
            } else {
                demand?.succeed()
            }
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
            state.demand = nil
            state.watch = nil
        }
        return Waiting(
            task: state.task, caller: state.caller, reader: state.reader, demand: state.demand, watch: state.watch)
    }

    private static var now: Duration { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) }
}
