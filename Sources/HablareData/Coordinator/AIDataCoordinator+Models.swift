public import Foundation
public import Hablare

extension AIDataCoordinator {
    /// Submits a request, waits for its response, and merges it into a property of a model.
    ///
    /// ```swift
    /// let summary = try await coordinator.generate(request, into: article, property: \.summary)
    /// ```
    ///
    /// The request is durable when it is submitted, the merge is not: where the process dies before, the response is there
    /// and the model has to be given it anew. Cancelling the calling task ends the wait, not the request; nothing is merged
    /// then.
    ///
    /// - Parameters:
    ///   - request: The request. Give it ``/Hablare/Priority/high`` where somebody waits for it.
    ///   - provider: Who does it. Default: ``Options/provider``.
    ///   - model: The model. Whoever awaits this call keeps it; ``deliver(_:into:property:rules:)`` does not.
    ///   - property: The property.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: The value, also where it was merged before.
    /// - Throws: The ``/Hablare/AIServiceError`` of a request that failed, was cancelled or cannot be submitted, code
    ///   `invalidConfiguration` where nobody is named; ``MergeError``; `CancellationError`.
    @discardableResult
    public func generate<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ request: AIRequest, from provider: ProviderID? = nil, into model: Model,
        property: ReferenceWritableKeyPath<Model, Value>, rules: [ContentRule] = []
    ) async throws -> Value {
        let response = try await manager.execute(request, with: try self.provider(provider))
        return try await deliver(response, rules, as: property) { (value: Value) in
            set(of: response.requestID, in: model, .init(property)) { model[keyPath: property] = value }
        }.value
    }

    /// Merges a response into a property of a model, at most once in this process.
    ///
    /// The content is read, checked and converted off the main actor; on it, one property is set.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - model: The model.
    ///   - property: The property.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: ``MergeError``; the ``/Hablare/AIServiceError`` of a response without content, or of reading it;
    ///   `CancellationError`. The model is untouched then.
    @discardableResult
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        if let date = delivered.date(of: response.requestID, in: model, .init(property)) {
            return wasMerged(modelKey(response.requestID, property), at: date)
        }
        return try await deliver(response, rules, as: property) { (value: Value) in
            set(of: response.requestID, in: model, .init(property)) { model[keyPath: property] = value }
        }.outcome
    }

    /// Merges a response into a model as the app likes, at most once in this process: several properties, a transform, a
    /// child that is made.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - model: The model.
    ///   - name: What is done, to tell it from other merges of the same response into the same model.
    ///   - type: What the answer becomes first. Default: what `apply` takes.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - apply: Changes the model, on the main actor: keep it short. Not called where it was merged before.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: as ``merge(_:into:property:rules:)``.
    @discardableResult
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, named name: String, as type: Value.Type = Value.self,
        rules: [ContentRule] = [], apply: @MainActor (Model, Value) -> Void
    ) async throws -> MergeOutcome {
        let key = MergeKey(requestID: response.requestID, target: name, row: .new)
        if let date = delivered.date(of: response.requestID, in: model, .init(name)) { return wasMerged(key, at: date) }
        return try await deliver(response, rules, key: key) { (value: Value) in
            set(of: response.requestID, in: model, .init(name)) { apply(model, value) }
        }.outcome
    }

    /// Merges many responses into the same property of a model each: prepared side by side, and set in one stretch of the
    /// main actor, so that views are updated once; in several where they are together too large for memory
    /// (``Options/maximumBytesInFlight``).
    ///
    /// - Returns: What came of each, in their order.
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ responses: [(response: AIResponseData, model: Model)], property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) async -> [Result<MergeOutcome, any Error>] {
        var outcomes: [Result<MergeOutcome, any Error>] = []
        let sizes = await Self.sizes(of: responses.map(\.response))
        var rest = responses.indices[...]
        while let first = rest.first {
            var bytes = sizes[first]
            var end = first + 1
            while end < responses.endIndex, bytes + sizes[end] <= merger.maximumBytes {
                bytes += sizes[end]
                end += 1
            }
            rest = rest[end...]
            outcomes += await merge(Array(responses[first..<end]), of: bytes, property, rules)
        }
        return outcomes
    }

    private func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ responses: [(response: AIResponseData, model: Model)], of bytes: Int,
        _ property: ReferenceWritableKeyPath<Model, Value>, _ rules: [ContentRule]
    ) async -> [Result<MergeOutcome, any Error>] {
        let start = merger.meters.clock.now
        let keys = await Self.announce(responses.map(\.response), for: name(of: property), merger)
        var outcomes: [Result<MergeOutcome, any Error>]
        do {
            outcomes = try await merger.holding(bytes) {
                let prepared = await Self.prepare(responses.map(\.response), as: Value.self, rules, merger)
                let place = ModelReceipts.Place(property)
                return merger.meters.onMainActor {
                    zip(responses, prepared).map { ask, value in
                        value.map { value in
                            set(of: ask.response.requestID, in: ask.model, place) {
                                ask.model[keyPath: property] = value
                            }
                        }
                    }
                }
            }
        } catch {
            outcomes = responses.map { _ in .failure(error) }
        }
        await Self.report(keys, outcomes, since: start, merger)
        return outcomes
    }

    /// Tells that merges begin. Elsewhere, as all that is done for each of many and is not the setting itself.
    @concurrent private static func announce(
        _ responses: [AIResponseData], for name: String, _ merger: Merger
    ) async -> [MergeKey] {
        let keys = responses.map { MergeKey(requestID: $0.requestID, target: name, row: .new) }
        merger.meters.asked(keys.count)
        merger.events.tell(.willMerge(keys))
        return keys
    }

    /// Tells what came of merges.
    @concurrent private static func report(
        _ keys: [MergeKey], _ outcomes: [Result<MergeOutcome, any Error>], since start: Duration, _ merger: Merger
    ) async {
        for outcome in outcomes { merger.meters.ended(outcome, intoModel: true, since: start) }
        merger.tell(of: keys, outcomes)
    }

    /// Merges the response of a request into a property of a model when it comes, and keeps neither the caller nor the model
    /// waiting: where the model is gone by then, nothing is merged.
    ///
    /// What comes of it is told by ``merges``. It waits through the engine's rests. A request that fails or is cancelled is
    /// waited for no longer. It does not survive the process, nor the coordinator.
    ///
    /// - Parameters:
    ///   - requestID: The request, which was submitted.
    ///   - model: The model, held weakly.
    ///   - property: The property.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: What ends the wait.
    @discardableResult
    public func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ requestID: UUID, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) -> Delivery {
        let address = ModelAddress(model, property, rules)
        let key = modelKey(requestID, property)
        let number = deliveries.start { [weak self, manager, merger, clock = seams.clock] in
            do {
                guard let response = try await manager.patientlyExecute(requestID, clock: clock) else { return }
                await self?.deliver(response, to: address)
            } catch is CancellationError {
                return
            } catch {
                merger.events.tell(.willMerge([key]))
                merger.events.tell(.mergeFailed(key, MergeError.recorded(error, of: requestID)))
            }
        }
        return Delivery(number, of: deliveries)
    }

    /// Merges a response into a property of a model, and saves the model with the receipt in one transaction: once, also
    /// over restarts.
    ///
    /// Where it cannot be saved, the property has the value all the same, and asking again saves it. A response that was
    /// merged into the property without a context before is saved now.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - model: The model.
    ///   - property: The property.
    ///   - name: What the receipt is kept under, the same in all versions of the app: `article.summary`.
    ///   - context: What saves the model.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: as ``merge(_:into:property:rules:)``; ``MergeError/Code/databaseFailed`` or
    ///   ``MergeError/Code/diskFull`` where it could not be saved.
    @discardableResult
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        named name: String, in context: some MergeContext<Model>, rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        let requestID = response.requestID
        let key = MergeKey(requestID: requestID, target: name, row: context.row(of: model))
        return try await recorded(key) {
            let outcome = try await mergeAndSave(response, into: model, property, key, in: context, rules)
            // Also where it was merged before: whoever did that may have died before the engine was told.
            merger.releaser.wanted([requestID])
            return outcome
        }
    }

    /// Submits a request, waits for its response, and merges and saves it as
    /// ``merge(_:into:property:named:in:rules:)`` does.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - provider: Who does it. Default: ``Options/provider``.
    ///   - model: The model.
    ///   - property: The property.
    ///   - name: What the receipt is kept under, the same in all versions of the app.
    ///   - context: What saves the model.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: as ``generate(_:from:into:property:rules:)`` and ``merge(_:into:property:named:in:rules:)``.
    @discardableResult
    public func generate<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ request: AIRequest, from provider: ProviderID? = nil, into model: Model,
        property: ReferenceWritableKeyPath<Model, Value>, named name: String, in context: some MergeContext<Model>,
        rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        let response = try await manager.execute(request, with: try self.provider(provider))
        return try await merge(response, into: model, property: property, named: name, in: context, rules: rules)
    }
}

extension AIDataCoordinator {
    nonisolated func provider(_ named: ProviderID?) throws -> ProviderID {
        guard let provider = named ?? options.provider else {
            throw AIServiceError(
                .invalidConfiguration,
                "Nobody is named to do the request. Say `from:`, or give the coordinator's options a provider.")
        }
        return provider
    }

    private func mergeAndSave<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, _ property: ReferenceWritableKeyPath<Model, Value>,
        _ key: MergeKey, in context: some MergeContext<Model>, _ rules: [ContentRule]
    ) async throws -> MergeOutcome {
        if let date = try await context.dateOfMerge(key) { return .alreadyMerged(date) }
        let prepared = try await Self.prepare(response, as: Value.self, rules, merger)
        // In memory until it is saved.
        defer { prepared.letGo() }
        _ = merger.meters.onMainActor {
            set(of: response.requestID, in: model, .init(property)) { model[keyPath: property] = prepared.value }
        }
        // Also where the property had it before: of that, nothing may be saved yet.
        if let date = try await context.save(model, with: key) { return .alreadyMerged(date) }
        return .merged
    }

    private func deliver<Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, _ rules: [ContentRule], as property: AnyKeyPath? = nil, key: MergeKey? = nil,
        set: (Value) -> MergeOutcome
    ) async throws -> (outcome: MergeOutcome, value: Value) {
        var value: Value?
        let key = key ?? modelKey(response.requestID, property)
        let outcome = try await recorded(key) {
            let prepared = try await Self.prepare(response, as: Value.self, rules, merger)
            defer { prepared.letGo() }
            value = prepared.value
            return merger.meters.onMainActor { set(prepared.value) }
        }
        guard let value else { throw CancellationError() }
        return (outcome, value)
    }

    fileprivate func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, to address: ModelAddress<Model, Value>
    ) async {
        do {
            _ = try await recorded(modelKey(response.requestID, address.property)) {
                // The model is held only while a property is set. Nothing is read for one that is gone.
                _ = try address.present
                let prepared = try await Self.prepare(response, as: Value.self, address.rules, merger)
                defer { prepared.letGo() }
                let model = try address.present
                return merger.meters.onMainActor {
                    set(of: response.requestID, in: model, .init(address.property)) {
                        model[keyPath: address.property] = prepared.value
                    }
                }
            }
        } catch {
            // Told of by an event.
        }
    }

    /// Sets something in a model, unless that was done before. One stretch of the main actor: nothing comes between look and
    /// set.
    private func set(
        of requestID: UUID, in model: AnyObject, _ place: ModelReceipts.Place, _ set: () -> Void
    ) -> MergeOutcome {
        if let date = delivered.date(of: requestID, in: model, place) { return .alreadyMerged(date) }
        set()
        delivered.merged(requestID, into: model, place, at: seams.date())
        return .merged
    }

    /// Tells of a merge that was done before it was asked for.
    private func wasMerged(_ key: MergeKey, at date: Date) -> MergeOutcome {
        let start = merger.meters.clock.now
        merger.meters.asked(1)
        merger.events.tell(.willMerge([key]))
        merger.meters.ended(.success(.alreadyMerged(date)), intoModel: true, since: start)
        merger.tell(of: [key], [.success(.alreadyMerged(date))])
        return .alreadyMerged(date)
    }

    /// Tells of a merge, and what came of it.
    private func recorded(_ key: MergeKey, _ merge: () async throws -> MergeOutcome) async throws -> MergeOutcome {
        let start = merger.meters.clock.now
        merger.meters.asked(1)
        merger.events.tell(.willMerge([key]))
        let outcome: Result<MergeOutcome, any Error>
        do {
            outcome = .success(try await merge())
        } catch {
            outcome = .failure(MergeError.told(error, of: key.requestID))
        }
        merger.meters.ended(outcome, intoModel: true, since: start)
        merger.tell(of: [key], [outcome])
        return try outcome.get()
    }

    /// For events only: which model it is, they do not say.
    private func modelKey(_ requestID: UUID, _ property: AnyKeyPath?) -> MergeKey {
        MergeKey(requestID: requestID, target: property.map(name(of:)) ?? "model", row: .new)
    }

    private func name(of property: AnyKeyPath) -> String {
        if let name = placeNames[property] { return name }
        let name = "\(property)"
        placeNames[property] = name
        return name
    }

    @concurrent private static func prepare<Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, as type: Value.Type, _ rules: [ContentRule], _ merger: Merger
    ) async throws -> Prepared<Value> {
        let bytes = response.byteCount
        merger.meters.merges(bytes)
        try await merger.take(bytes)
        do {
            return Prepared(value: try convert(response, rules, merger)) { merger.letGo(bytes) }
        } catch {
            merger.letGo(bytes)
            throw error
        }
    }

    /// The same of many, whose room is taken.
    @concurrent private static func prepare<Value: ResponseConvertible & Sendable>(
        _ responses: [AIResponseData], as type: Value.Type, _ rules: [ContentRule], _ merger: Merger
    ) async -> [Result<Value, any Error>] {
        await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            var values: [Result<Value, any Error>] = responses.map { _ in .failure(CancellationError()) }
            for (number, response) in responses.enumerated() {
                group.addTask {
                    merger.meters.merges(response.byteCount)
                    let value = Result { try convert(response, rules, merger) as Value }
                    return (number, value.mapError { MergeError.told($0, of: response.requestID) })
                }
            }
            for await (number, value) in group { values[number] = value }
            return values
        }
    }

    private nonisolated static func convert<Value: ResponseConvertible>(
        _ response: AIResponseData, _ rules: [ContentRule], _ merger: Merger
    ) throws -> Value {
        try Task.checkCancellation()
        let content = try response.content
        for rule in rules { try rule.check(content) }
        let value = try Value.value(of: content, in: merger.context(of: response.requestID))
        try Task.checkCancellation()
        return value
    }

    /// Elsewhere, because a structured answer is written out to be measured.
    @concurrent private static func sizes(of responses: [AIResponseData]) async -> [Int] {
        responses.map(\.byteCount)
    }
}

extension AIRequestManager {
    /// Waits for a response through the engine's rests and the store's bad moments; `nil` where the engine goes away
    /// meanwhile.
    fileprivate func patientlyExecute(_ id: UUID, clock: EngineClock) async throws -> AIResponseData? {
        // Listened to only between rests: what is told while it waits for the outcome would pile up.
        var revivals: AsyncStream<Revival>.Iterator?
        var wait = Duration.seconds(1)
        while true {
            try Task.checkCancellation()
            do {
                return try await execute(requestID: id)
            } catch let error as AIServiceError where error.code == .suspended {
                guard revivals != nil else {
                    // Looked at once more, because the engine may be back since.
                    revivals = self.revivals().makeAsyncIterator()
                    continue
                }
                repeat {
                    guard let revival = await revivals?.next() else { return nil }
                    if revival == .engine { break }
                } while true
                revivals = nil
            } catch let error as AIServiceError where error.category == .storage && error.isRetryable {
                try await clock.sleep(for: wait)
                wait = min(wait * 2, .seconds(60))
            }
        }
    }
}

/// A value on its way into a model, and the room that its content has in memory.
private struct Prepared<Value: Sendable>: Sendable {
    let value: Value
    /// Gives the room back. To be called once.
    let letGo: @Sendable () -> Void
}

/// Where a response goes that is to come: a property of a model that is not kept alive for it.
@MainActor private final class ModelAddress<Model: AnyObject, Value: Sendable> {
    private weak var model: Model?
    let property: ReferenceWritableKeyPath<Model, Value>
    let rules: [ContentRule]

    init(_ model: Model, _ property: ReferenceWritableKeyPath<Model, Value>, _ rules: [ContentRule]) {
        self.model = model
        self.property = property
        self.rules = rules
    }

    /// The model.
    ///
    /// - Throws: ``MergeError/Code/modelGone``.
    var present: Model {
        get throws {
            guard let model else {
                throw MergeError(
                    .modelGone,
                    "The model went away before its response came. The response is kept: merge it into another one.")
            }
            return model
        }
    }
}
