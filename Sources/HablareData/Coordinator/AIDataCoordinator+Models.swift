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
