public import Foundation
public import Hablare
import HablareSupport

/// A provider that answers requests through a vendor's batch API, at half of the price, within a day.
///
/// A request to this provider sets its ``/Hablare/AIRequest/deadline``, which says how long the request may wait. It
/// also sets its ``/Hablare/AIRequest/fallback``: the provider that answers if no batch does. The fallback is usually
/// the live provider of the same model. `AIRequest.deadline(_:model:orLive:from:)` sets both.
///
/// Requests that arrive within half a minute become one batch. Each request first stores the batch's id
/// (``/Hablare/ProviderCall/remember(_:)``). After a crash or a shutdown, the next attempt awaits the same batch and
/// causes no second charge. There is one exception: if the process dies after the service accepts the batch and before
/// the id is stored, the requests may be charged twice.
///
/// The request fails with `batchExpired` in two cases: the batch expires before the service answers the request, or the
/// batch has not ended when only ``reserve`` remains before the deadline. The engine then calls the fallback. If no
/// request of a batch is awaited any more, the provider cancels the batch. If the service answers a request with an
/// error, the request fails in the same way as a normal call.
///
/// Answers do not stream. A call lasts for hours, so the provider has its own limits: ten thousand calls at once and a
/// timeout of 25 hours. Its prices are those of the kind `openai-batch` or `anthropic-batch`.
public struct VendorBatchProvider: AIServiceProvider, RequestChecking {
    /// The default of ``reserve``: half an hour, in seconds.
    public static let usualReserve: TimeInterval = 1800

    /// The name under which the provider is registered, such as `openai.batch`.
    public let id: ProviderID
    /// The identity of the batch API, for fingerprints and prices.
    public let instance: ProviderInstance
    /// The model for requests that do not name a model.
    public let defaultModel: String?
    /// The type of the answers: text, or a JSON value.
    public let responseType: ContentType
    /// The time before a request's deadline, in seconds, at which the wait for a batch ends. The remaining time is for
    /// a normal call.
    public let reserve: TimeInterval
    let vendor: any BatchVendor
    private let live: any RequestChecking
    private let board: Locked<BatchBoard>
    /// The requests of the attempts in flight, by name. Their texts are removed from the service's messages.
    private let requests = Locked<[String: AIRequest]>([:])
    private let clock: any Clock<Duration>
    private let spawner: TaskSpawner
    private let date: @Sendable () -> Date

    init(
        _ id: ProviderID, kind: String, live: any RequestChecking, vendor: any BatchVendor, reserve: TimeInterval,
        rules: BatchBoard.Rules? = nil, clock: any Clock<Duration>, taskExecutor: (any TaskExecutor)?,
        date: @escaping @Sendable () -> Date
    ) {
        self.id = id
        self.live = live
        self.vendor = vendor
        self.reserve = reserve
        self.clock = clock
        self.date = date
        instance = ProviderInstance(kind: kind, location: live.instance.rawValue)
        defaultModel = live.defaultModel
        responseType = live.responseType
        board = Locked(BatchBoard(rules: rules ?? vendor.rules))
        spawner = TaskSpawner(executor: taskExecutor)
    }

    /// The limits: 10,000 calls at once, and a timeout of 25 hours. A batch ends within 24 hours.
    public var limits: ProviderLimits { ProviderLimits(concurrency: 10_000, attemptTimeout: .seconds(25 * 3600)) }
    /// The provider's account. It differs from the live provider's account, because the service counts batches
    /// separately.
    public var account: AccountID { AccountID(rawValue: "\(live.account.rawValue) batch") }

    /// Returns the maximum usage of a normal call.
    public func maximumUsage(of request: AIRequest) -> Usage? { live.maximumUsage(of: request) }

    package func check(_ request: AIRequest) throws(AIServiceError) { try live.check(request) }

    /// Answers a request through a batch.
    ///
    /// Cancelling the task stops the wait. A later attempt of the request awaits the same batch. If there is no later
    /// attempt, the result is not fetched. If this process sent the batch and none of its requests is wanted any more,
    /// the batch is cancelled. If an earlier process sent the batch, the batch is not cancelled, because it may contain
    /// requests that this process does not know.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await Result(of: call, by: answer)
    }

    private func answer(_ call: ProviderCall) async throws(AIServiceError) -> ProviderAnswer {
        let leavesAt = call.request.deadline?.addingTimeInterval(-reserve)
        let handle: BatchHandle
        let name = Self.name(of: call.request)
        requests.withLock { $0[name] = call.request }
        defer { requests.withLock { $0[name] = nil } }
        if let stored = call.handle {
            try await saying { try await call.resume() }
            guard let read = BatchHandle(stored) else {
                try await saying { try await call.forget() }
                throw .workLost
            }
            handle = read
        } else {
            guard let leavesAt, date() < leavesAt else { throw .tooLateForBatch }
            handle = try await gather(call, until: leavesAt)
        }
        return try await follow(handle, for: call, until: leavesAt ?? .distantFuture)
    }

    /// Returns a request's name in its batch.
    private static func name(of request: AIRequest) -> String { request.id.uuidString.lowercased() }

    // MARK: Gathering

    /// Sends the request in a batch, and stores the batch's resume handle.
    private func gather(_ call: ProviderCall, until leavesAt: Date) async throws(AIServiceError) -> BatchHandle {
        let name = Self.name(of: call.request)
        let entry = BatchBoard.Entry(name: name, body: try await vendor.body(of: call.request))
        guard entry.body.count <= board.withLock({ $0.rules.maximumBytes }) else {
            throw AIServiceError(
                .invalidRequest, "The request is too large for a batch. Shorten it, or use the live provider.")
        }
        let turn = board.withLock { board in
            board.entered(entry, now: date())
            return board.rules.turn
        }
        var isStopped = false
        while true {
            switch board.withLock({ $0.gathering(name, now: date()) }) {
            case .wait(let time) where isStopped:
                // The batch is being sent with this request, so its id must still be stored.
                await spawner.start { [clock] in
                    do { try await clock.sleep(for: Self.pause(time)) } catch { return }  // nothing cancels the task
                }.value
            case .wait(let time):
                do throws(AIServiceError) {
                    // A batch that is full is sent before its time.
                    try await rest(min(time, turn))
                } catch {
                    if board.withLock({ $0.withdrew(name) }) { throw error }
                    isStopped = true
                    continue
                }
                if date() >= leavesAt, board.withLock({ $0.withdrew(name) }) { throw .tooLateForBatch }
            case .send(let number, let entries):
                // In a task of its own: the others of the batch want it, even if this request is cancelled.
                let known = requests.withLock { requests in entries.compactMap { requests[$0.name] } }
                // A request that is no longer known may be quoted, too.
                let about = known.count == entries.count ? known : []
                let task = spawner.start { [vendor, board] in
                    let outcome: Result<String, AIServiceError>
                    do throws(AIServiceError) {
                        outcome = .success(try await vendor.create(entries, about: about))
                    } catch {
                        outcome = .failure(error)
                    }
                    board.withLock { $0.sent(number, outcome) }
                }
                await task.value
            case .failed(let error): throw error
            case .sent(let batch):
                let handle = BatchHandle(batch: batch, name: name)
                let data = try handle.data()
                board.withLock { $0.followed(name, in: batch, now: date().addingTimeInterval($0.rules.firstPause)) }
                do throws(AIServiceError) {
                    try await saying { try await call.remember(data) }
                } catch {
                    // No later attempt can find the batch, so its result is awaited here or not at all.
                    guard error.category == .storage, !Task.isCancelled else {
                        await leave(handle, for: call, isWanted: false)
                        throw error
                    }
                }
                return handle
            }
        }
    }

    // MARK: Following

    private func follow(
        _ handle: BatchHandle, for call: ProviderCall, until leavesAt: Date
    ) async throws(AIServiceError) -> ProviderAnswer {
        board.withLock { $0.followed(handle.name, in: handle.batch, now: date()) }
        do throws(AIServiceError) {
            let result = try await result(of: handle, until: leavesAt)
            board.withLock { $0.unfollowed(handle.name, in: handle.batch) }
            switch result {
            case .success(let answer): return answer
            case .failure(let error):
                try await saying { try await call.forget() }
                throw error
            }
        } catch {
            let isStopped = Task.isCancelled || error.code == .cancelled
            await leave(handle, for: call, isWanted: isStopped ? nil : error != .leftBatch)
            if error == .leftBatch { try await saying { try await call.forget() } }
            throw error
        }
    }

    /// Returns the result of a request once its batch has ended.
    private func result(
        of handle: BatchHandle, until leavesAt: Date
    ) async throws(AIServiceError) -> Result<ProviderAnswer, AIServiceError> {
        while true {
            let now = date()
            switch board.withLock({ $0.following(handle.name, in: handle.batch, now: now) }) {
            case .result(let result): return result
            case .missing: return .failure(.workLost)
            case .wait(let time):
                guard now < leavesAt else { throw .leftBatch }
                try await rest(min(time, leavesAt.timeIntervalSince(now)))
            case .look(let names): try await look(handle.batch, for: names)
            }
        }
    }

    /// Checks a batch for all requests that await it. Fetches their results if the batch has ended.
    private func look(_ batch: String, for names: Set<String>) async throws(AIServiceError) {
        let known = requests.withLock { requests in requests.filter { names.contains($0.key) } }
        do throws(AIServiceError) {
            switch try await vendor.look(at: batch, about: Array(known.values)) {
            case .working: board.withLock { $0.looked(at: batch, now: date()) }
            case .ended(let files):
                let results = try await vendor.fetch(files, for: names, of: known)
                board.withLock { $0.fetched(results, awaited: names, of: batch, now: date()) }
            case .failed(let error):
                let results = names.reduce(into: [:]) { $0[$1] = Result<ProviderAnswer, AIServiceError>.failure(error) }
                board.withLock { $0.fetched(results, awaited: names, of: batch, now: date()) }
            case .unknown: board.withLock { $0.fetched([:], awaited: names, of: batch, now: date()) }
            }
        } catch {
            // The service works on. A failed connection or an overload only means to look again later.
            guard error.code != .cancelled, error.isRetryable || error.disposition == .outcomeUnknown else {
                board.withLock { $0.abandoned(batch) }
                throw error
            }
            board.withLock { $0.looked(at: batch, now: date()) }
        }
    }

    // MARK: Leaving

    /// Stops awaiting a result. If this process sent the batch and wants no other result of it, cancels the batch.
    ///
    /// - Parameter isWanted: Whether a later attempt awaits the result. `nil` to ask the engine.
    private func leave(_ handle: BatchHandle, for call: ProviderCall, isWanted: Bool?) async {
        board.withLock { $0.unfollowed(handle.name, in: handle.batch) }
        guard isWanted != true else { return }
        let (vendor, clock, board) = (vendor, clock, board)
        let task = spawner.start {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        if isWanted == nil, try await call.isWanted() { return }
                        guard board.withLock({ $0.gaveUp(handle.name, in: handle.batch) }) else { return }
                        try await vendor.cancel(handle.batch)
                    } catch {
                        return  // The attempt is over, and no caller could handle this error.
                    }
                }
                group.addTask {
                    do { try await clock.sleep(for: .seconds(5)) } catch { return }  // finished in time
                }
                await group.next()
                group.cancelAll()
            }
        }
        await task.value
    }

    /// Waits on the injected clock.
    private func rest(_ time: TimeInterval) async throws(AIServiceError) {
        try await saying { [clock] in try await clock.sleep(for: Self.pause(time)) }
    }

    private static func pause(_ time: TimeInterval) -> Duration {
        .milliseconds(Int64(min(max(time, 0.001), 86_400) * 1000) + 1)
    }

    /// Runs a closure that calls the engine. Any error that the closure throws is an error of the engine.
    private func saying(_ word: () async throws -> Void) async throws(AIServiceError) {
        do {
            try await word()
        } catch {
            throw ServiceClient.failure(
                error, of: vendor.client.dialect.name, at: vendor.client.address.origin, hiding: [])
        }
    }
}
