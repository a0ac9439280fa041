public import Hablare

extension AIDataCoordinator {
    /// Submits a request, waits for its response, and merges the response into a property of a model.
    ///
    /// ```swift
    /// let summary = try await coordinator.generate(request, into: article, property: \.summary)
    /// ```
    ///
    /// The request is durable when it is submitted. The merge is not durable: if the process dies before the merge, the
    /// response is kept, and the app must merge the response into the model again. If the calling task is cancelled,
    /// the wait ends and nothing is merged, but the request continues.
    ///
    /// - Parameters:
    ///   - request: The request. Use ``/Hablare/Priority/high`` if the user waits for it.
    ///   - provider: The provider of the answer. Default: ``Options/provider``.
    ///   - model: The model. The call holds the model strongly, unlike ``deliver(_:into:property:rules:)``.
    ///   - property: The property.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    /// - Returns: The value, even if it was already merged by an earlier call.
    /// - Throws: The ``/Hablare/AIServiceError`` of a request that failed, was cancelled or cannot be submitted. Its
    ///   code is `invalidConfiguration` if no provider is set. Also ``MergeError`` and `CancellationError`.
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
    /// The content is read, checked and converted off the main actor. Only the property is set on the main actor.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - model: The model.
    ///   - property: The property.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: ``MergeError``. The ``/Hablare/AIServiceError`` of a response that has no content or whose content
    ///   cannot be read. `CancellationError`. In each case the model is unchanged.
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

    /// Merges a response into a model with a closure, at most once in this process. The closure may set several
    /// properties, transform the value or create a child.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - model: The model.
    ///   - name: A name that distinguishes this merge from other merges of the same response into the same model.
    ///   - type: The type to which the answer is converted before `apply` is called. Default: the type of the closure's
    ///     parameter.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - apply: A closure that changes the model on the main actor. Keep it short. It is not called if the response
    ///     was already merged.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: The errors of ``merge(_:into:property:rules:)``.
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

    /// Merges a response into a property of a model. Saves the model and a receipt in one transaction. The receipt
    /// prevents a second merge, even after a restart.
    ///
    /// If the save fails, the property has the new value, but the model is not saved. Call the method again to save it.
    /// If an earlier call has merged the response into the property without a context, this call saves the model.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - model: The model.
    ///   - property: The property.
    ///   - name: The receipt's name, such as `article.summary`. It must be the same in all versions of the app.
    ///   - context: The context that saves the model.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: The errors of ``merge(_:into:property:rules:)``. ``MergeError/Code/databaseFailed`` or
    ///   ``MergeError/Code/diskFull`` if the save fails.
    @discardableResult
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, property: ReferenceWritableKeyPath<Model, Value>,
        named name: String, in context: some MergeContext<Model>, rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        let requestID = response.requestID
        let key = MergeKey(requestID: requestID, target: name, row: context.row(of: model))
        return try await recorded(key) {
            let outcome = try await mergeAndSave(response, into: model, property, key, in: context, rules)
            // Also after an earlier merge: that process may have died before it reported the merge to the engine.
            merger.releaser.wanted([requestID])
            return outcome
        }
    }

    /// Submits a request, waits for its response, and then merges and saves the response like
    /// ``merge(_:into:property:named:in:rules:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - provider: The provider of the answer. Default: ``Options/provider``.
    ///   - model: The model.
    ///   - property: The property.
    ///   - name: The receipt's name. It must be the same in all versions of the app.
    ///   - context: The context that saves the model.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: The errors of ``generate(_:from:into:property:rules:)`` and
    ///   ``merge(_:into:property:named:in:rules:)``.
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
