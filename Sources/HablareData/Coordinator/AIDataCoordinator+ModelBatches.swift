import Foundation
public import Hablare

extension AIDataCoordinator {
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

    /// The same of many, whose room is taken.
    @concurrent private static func prepare<Value: ResponseConvertible & Sendable>(
        _ responses: [AIResponseData], _ sizes: [Int], as type: Value.Type, _ rules: [ContentRule], _ merger: Merger
    ) async -> [Result<Value, any Error>] {
        for size in sizes { merger.meters.merges(size) }
        return await merger.concurrently(sizes) { number in
            let response = responses[number]
            let value = Result { try convert(response, rules, merger) as Value }
            return value.mapError { MergeError.told($0, of: response.requestID) }
        }
    }

    /// Elsewhere, because a structured answer is written out to be measured.
    @concurrent private static func sizes(of responses: [AIResponseData]) async -> [Int] {
        responses.map(\.byteCount)
    }
}
