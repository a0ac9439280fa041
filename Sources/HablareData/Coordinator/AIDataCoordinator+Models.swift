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
        return try await deliver(response, into: model, property: property, rules: rules).value
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
        try await deliver(response, into: model, property: property, rules: rules).outcome
    }

    /// Merges many responses into the same property of a model each: prepared side by side, and set in one stretch of the
    /// main actor, so that views are updated once.
    ///
    /// - Returns: What came of each, in their order.
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ responses: [(response: AIResponseData, model: Model)], property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) async -> [Result<MergeOutcome, any Error>] {
        let start = merger.meters.clock.now
        merger.meters.asked(responses.count)
        let keys = responses.map { modelKey($0.response.requestID, Model.self) }
        merger.events.tell(.willMerge(keys))
        let prepared = await Self.prepare(responses.map(\.response), as: Value.self, rules, merger)
        let outcomes = merger.meters.onMainActor {
            zip(responses, prepared).map { ask, value in
                value.map { set($0, of: ask.response.requestID, in: ask.model, property) }
            }
        }
        for (key, outcome) in zip(keys, outcomes) { ended(key, outcome, since: start, tellingMerged: false) }
        let merged = zip(keys, outcomes).filter { if case .success(.merged) = $0.1 { true } else { false } }.map(\.0)
        if !merged.isEmpty { merger.events.tell(.didMerge(merged)) }
        return outcomes
    }

    /// Merges the response of a request into a property of a model when it comes, and keeps neither the caller nor the model
    /// waiting: where the model is gone by then, nothing is merged.
    ///
    /// What comes of it is told by ``merges``. A request that fails is waited for no longer. It does not survive the process.
    ///
    /// - Parameters:
    ///   - requestID: The request, which was submitted.
    ///   - model: The model, held weakly.
    ///   - property: The property.
    ///   - rules: What an answer must be like. Default: anything.
    public func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ requestID: UUID, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) {
        let address = ModelAddress(model, property, rules)
        let key = modelKey(requestID, Model.self)
        deliveries.start { [weak self, manager, merger] in
            do {
                let response = try await manager.execute(requestID: requestID)
                try await self?.deliver(response, to: address)
            } catch is CancellationError {
                return
            } catch is ModelAddress<Model, Value>.Told {
                return
            } catch {
                merger.events.tell(.mergeFailed(key, MergeError.recorded(error, of: requestID)))
            }
        }
    }

    /// Merges a response into a property of a model, and saves the model with the receipt in one transaction: once, also
    /// over restarts.
    ///
    /// Where it cannot be saved, the property has the value all the same, and asking again saves it.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - model: The model.
    ///   - property: The property.
    ///   - name: What the receipt is kept under, the same in all versions of the app: `article.summary`.
    ///   - context: What saves the model.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: as ``merge(_:into:property:rules:)``; ``MergeError/Code/databaseFailed`` where it could not be saved.
    @discardableResult
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        named name: String, in context: some MergeContext<Model>, rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        let requestID = response.requestID
        let key = MergeKey(requestID: requestID, target: name, row: context.row(of: model))
        return try await recorded(key) {
            if let date = try await context.dateOfMerge(key) { return .alreadyMerged(date) }
            let value = try await Self.prepare(response, as: Value.self, rules, merger)
            let outcome = merger.meters.onMainActor { set(value, of: requestID, in: model, property) }
            guard case .merged = outcome else { return outcome }
            do {
                try await context.save(model, with: key)
            } catch {
                delivered.failed(requestID, into: model, property)
                throw error
            }
            merger.releaser.wanted()
            return .merged
        }
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

    private func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule]
    ) async throws -> (outcome: MergeOutcome, value: Value) {
        var value: Value?
        let outcome = try await recorded(modelKey(response.requestID, Model.self)) {
            let prepared = try await Self.prepare(response, as: Value.self, rules, merger)
            value = prepared
            return merger.meters.onMainActor { set(prepared, of: response.requestID, in: model, property) }
        }
        guard let value else { throw CancellationError() }
        return (outcome, value)
    }

    fileprivate func deliver<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, to address: ModelAddress<Model, Value>
    ) async throws {
        do {
            _ = try await recorded(modelKey(response.requestID, Model.self)) {
                // The model is held only while a property is set.
                let prepared = try await Self.prepare(response, as: Value.self, address.rules, merger)
                guard let model = address.model else {
                    throw MergeError(
                        .modelGone,
                        "The model went away before its response came. The response is kept: merge it into another one."
                    )
                }
                return merger.meters.onMainActor { set(prepared, of: response.requestID, in: model, address.property) }
            }
        } catch {
            throw ModelAddress<Model, Value>.Told()
        }
    }

    /// Sets a property, unless that was done before. One stretch of the main actor: nothing comes between look and set.
    private func set<Model: AnyObject, Value>(
        _ value: Value, of requestID: UUID, in model: Model, _ property: ReferenceWritableKeyPath<Model, Value>
    ) -> MergeOutcome {
        if let date = delivered.date(of: requestID, in: model, property) { return .alreadyMerged(date) }
        model[keyPath: property] = value
        delivered.merged(requestID, into: model, property, at: seams.date())
        return .merged
    }

    /// Tells of a merge, and what came of it.
    private func recorded(_ key: MergeKey, _ merge: () async throws -> MergeOutcome) async throws -> MergeOutcome {
        let start = merger.meters.clock.now
        merger.meters.asked(1)
        merger.events.tell(.willMerge([key]))
        do {
            let outcome = try await merge()
            ended(key, .success(outcome), since: start)
            return outcome
        } catch {
            ended(key, .failure(error), since: start)
            throw MergeError.told(error, of: key.requestID)
        }
    }

    private func ended(
        _ key: MergeKey, _ outcome: Result<MergeOutcome, any Error>, since start: Duration, tellingMerged: Bool = true
    ) {
        merger.meters.ended(outcome, intoModel: true, since: start)
        switch outcome {
        case .success(.merged): if tellingMerged { merger.events.tell(.didMerge([key])) }
        case .success(.alreadyMerged): merger.events.tell(.wereMerged([key]))
        case .failure(let error): merger.events.tell(.mergeFailed(key, MergeError.recorded(error, of: key.requestID)))
        }
    }

    private func modelKey(_ requestID: UUID, _ model: Any.Type) -> MergeKey {
        MergeKey(requestID: requestID, target: "\(model)", row: .new)
    }

    @concurrent private static func prepare<Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, as type: Value.Type, _ rules: [ContentRule], _ merger: Merger
    ) async throws -> Value {
        try await merger.holding(response) {
            let content = try response.content
            for rule in rules { try rule.check(content) }
            let value = try Value.value(of: content, in: merger.context(of: response.requestID))
            try Task.checkCancellation()
            return value
        }
    }

    @concurrent private static func prepare<Value: ResponseConvertible & Sendable>(
        _ responses: [AIResponseData], as type: Value.Type, _ rules: [ContentRule], _ merger: Merger
    ) async -> [Result<Value, any Error>] {
        var values: [Result<Value, any Error>] = []
        for response in responses {
            do {
                values.append(.success(try await prepare(response, as: type, rules, merger)))
            } catch {
                values.append(.failure(MergeError.told(error, of: response.requestID)))
            }
        }
        return values
    }
}

/// Where a response goes that is to come: a property of a model that is not kept alive for it.
@MainActor private final class ModelAddress<Model: AnyObject, Value: Sendable> {
    /// What came of it was told.
    struct Told: Error {}

    private(set) weak var model: Model?
    let property: ReferenceWritableKeyPath<Model, Value>
    let rules: [ContentRule]

    init(_ model: Model, _ property: ReferenceWritableKeyPath<Model, Value>, _ rules: [ContentRule]) {
        self.model = model
        self.property = property
        self.rules = rules
    }
}
