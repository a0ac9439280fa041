import Foundation
import Hablare

extension AIDataCoordinator {
    nonisolated func provider(_ named: ProviderID?) throws -> ProviderID {
        guard let provider = named ?? options.provider else {
            throw AIServiceError(
                .invalidConfiguration,
                "No provider is set for the request. Pass `from:`, or set `provider` in the coordinator's options.")
        }
        return provider
    }

    func mergeAndSave<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into model: Model, _ property: ReferenceWritableKeyPath<Model, Value>,
        _ key: MergeKey, in context: some MergeContext<Model>, _ rules: [ContentRule]
    ) async throws -> MergeOutcome {
        if let date = try await context.dateOfMerge(key) { return .alreadyMerged(date) }
        let prepared = try await Self.prepare(response, as: Value.self, rules, merger)
        // The content stays in memory until the model is saved.
        defer { prepared.letGo() }
        _ = merger.meters.onMainActor {
            set(of: response.requestID, in: model, .init(property)) { model[keyPath: property] = prepared.value }
        }
        // Saves even if the property had the value before, because that value may not be saved yet.
        if let date = try await context.save(model, with: key) { return .alreadyMerged(date) }
        return .merged
    }

    func deliver<Value: ResponseConvertible & Sendable>(
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

    /// Sets a value in a model, unless the response was already merged. The check and the change run on the main actor
    /// without interruption.
    func set(
        of requestID: UUID, in model: AnyObject, _ target: ModelReceipts.Target, _ set: () -> Void
    ) -> MergeOutcome {
        if let date = delivered.date(of: requestID, in: model, target) { return .alreadyMerged(date) }
        set()
        delivered.merged(requestID, into: model, target, at: seams.date())
        return .merged
    }

    /// Reports that the response was already merged before.
    func wasMerged(_ key: MergeKey, at date: Date) -> MergeOutcome {
        let start = merger.meters.clock.now
        merger.meters.asked(1)
        merger.events.publish(.willMerge([key]))
        merger.meters.ended(.success(.alreadyMerged(date)), intoModel: true, since: start)
        merger.publish(of: [key], [.success(.alreadyMerged(date))])
        return .alreadyMerged(date)
    }

    /// Reports a merge, carries it out, and reports its outcome.
    func recorded(_ key: MergeKey, _ merge: () async throws -> MergeOutcome) async throws -> MergeOutcome {
        let start = merger.meters.clock.now
        merger.meters.asked(1)
        merger.events.publish(.willMerge([key]))
        let outcome: Result<MergeOutcome, any Error>
        do {
            outcome = .success(try await merge())
        } catch {
            outcome = .failure(MergeError.forCaller(error, of: key.requestID))
        }
        merger.meters.ended(outcome, intoModel: true, since: start)
        merger.publish(of: [key], [outcome])
        return try outcome.get()
    }

    /// Returns a key for events. The key does not identify the model, so it is not used for receipts.
    func modelKey(_ requestID: UUID, _ property: AnyKeyPath?) -> MergeKey {
        MergeKey(requestID: requestID, target: property.map(name(of:)) ?? "model", row: .new)
    }

    func name(of property: AnyKeyPath) -> String {
        if let name = propertyNames[property] { return name }
        let name = "\(property)"
        propertyNames[property] = name
        return name
    }

    @concurrent static func prepare<Value: ResponseConvertible & Sendable>(
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

    nonisolated static func convert<Value: ResponseConvertible>(
        _ response: AIResponseData, _ rules: [ContentRule], _ merger: Merger
    ) throws -> Value {
        try Task.checkCancellation()
        let content = try response.content
        for rule in rules { try rule.check(content) }
        let value = try Value.value(of: content, in: merger.context(of: response.requestID))
        try Task.checkCancellation()
        return value
    }
}

/// A converted value that is to be set in a model. The memory for its content is reserved.
struct Prepared<Value: Sendable>: Sendable {
    let value: Value
    /// A closure that releases the reserved memory. Call it exactly once.
    let letGo: @Sendable () -> Void
}
