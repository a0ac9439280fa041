import Foundation
public import Hablare

extension AIDataCoordinator {
    /// Merges many responses, each into the same property of a different model.
    ///
    /// The values are prepared concurrently, and are then set together on the main actor, so that views update once. If
    /// the content exceeds ``Options/maximumBytesInFlight``, the values are set in several groups.
    ///
    /// - Returns: The outcome of each merge, in the order of the responses.
    public func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ responses: [(response: AIResponseData, model: Model)], property: ReferenceWritableKeyPath<Model, Value>,
        rules: [ContentRule] = []
    ) async -> [Result<MergeOutcome, any Error>] {
        var outcomes: [Result<MergeOutcome, any Error>] = []
        let sizes = await Self.sizes(of: responses.map(\.response))
        var start = 0
        while start < responses.count {
            let end = Chunks.end(of: sizes, from: start, maximumBytes: merger.maximumBytes)
            outcomes += await merge(Array(responses[start..<end]), Array(sizes[start..<end]), property, rules)
            start = end
        }
        return outcomes
    }

    private func merge<Model: AnyObject, Value: ResponseConvertible & Sendable>(
        _ responses: [(response: AIResponseData, model: Model)], _ sizes: [Int],
        _ property: ReferenceWritableKeyPath<Model, Value>, _ rules: [ContentRule]
    ) async -> [Result<MergeOutcome, any Error>] {
        let start = merger.meters.clock.now
        let keys = await Self.announce(responses.map(\.response), for: name(of: property), merger)
        var outcomes: [Result<MergeOutcome, any Error>]
        do {
            outcomes = try await merger.holding(sizes.reduce(0, +)) {
                let prepared = await Self.prepare(responses.map(\.response), sizes, as: Value.self, rules, merger)
                let target = ModelReceipts.Target(property)
                return merger.meters.onMainActor {
                    zip(responses, prepared).map { ask, value in
                        value.map { value in
                            set(of: ask.response.requestID, in: ask.model, target) {
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

    /// Announces the merges and carries them out. This function runs off the main actor. Only the properties are set on
    /// the main actor.
    @concurrent private static func announce(
        _ responses: [AIResponseData], for name: String, _ merger: Merger
    ) async -> [MergeKey] {
        let keys = responses.map { MergeKey(requestID: $0.requestID, target: name, row: .new) }
        merger.meters.asked(keys.count)
        merger.events.publish(.willMerge(keys))
        return keys
    }

    /// Reports the outcomes of merges.
    @concurrent private static func report(
        _ keys: [MergeKey], _ outcomes: [Result<MergeOutcome, any Error>], since start: Duration, _ merger: Merger
    ) async {
        for outcome in outcomes { merger.meters.ended(outcome, intoModel: true, since: start) }
        merger.publish(of: keys, outcomes)
    }

    /// Prepares many responses whose memory is reserved.
    @concurrent private static func prepare<Value: ResponseConvertible & Sendable>(
        _ responses: [AIResponseData], _ sizes: [Int], as type: Value.Type, _ rules: [ContentRule], _ merger: Merger
    ) async -> [Result<Value, any Error>] {
        for size in sizes { merger.meters.merges(size) }
        return await merger.concurrently(sizes) { number in
            let response = responses[number]
            let value = Result { try convert(response, rules, merger) as Value }
            return value.mapError { MergeError.forCaller($0, of: response.requestID) }
        }
    }

    /// Returns the sizes of responses. Runs off the main actor, because measuring a structured answer encodes the
    /// answer.
    @concurrent private static func sizes(of responses: [AIResponseData]) async -> [Int] {
        responses.map(\.byteCount)
    }
}
