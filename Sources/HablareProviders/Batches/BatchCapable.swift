public import Foundation
public import Hablare

/// A provider whose vendor also offers a batch API, which answers requests later at half of the price.
public protocol BatchCapable: AIServiceProvider {
    /// The vendor's batch API for the provider's requests.
    var batchAPI: VendorBatchAPI { get }
}

/// A vendor's batch API for the requests of one provider. This library's providers create it.
public struct VendorBatchAPI: Sendable {
    /// The kind of the batch provider. Price tables have the prices under this kind.
    let kind: String
    let live: any RequestChecking
    let vendor: any BatchVendor
    let date: @Sendable () -> Date
}

extension BatchCapable {
    /// Returns a provider that answers the same requests by the vendor's batch API, at half of the price.
    ///
    /// If Anthropic pauses an answer (`pause_turn`), the answer is not continued. OpenAI's responses do not run in the
    /// background.
    ///
    /// - Parameters:
    ///   - id: The name under which the batch provider is registered, such as `openai.batch`.
    ///   - reserve: The time before a request's deadline, in seconds, that is kept for a normal call. Default: half an
    ///     hour.
    ///   - clock: The clock for the pauses between two status checks of a batch.
    ///   - taskExecutor: The executor of the tasks that send and cancel batches, ``/Hablare/EngineSeams/taskExecutor``.
    public func batched(
        as id: ProviderID, reserve: TimeInterval = VendorBatchProvider.usualReserve,
        clock: any Clock<Duration> = ContinuousClock(), taskExecutor: (any TaskExecutor)? = nil
    ) -> VendorBatchProvider {
        batched(as: id, reserve: reserve, rules: nil, clock: clock, taskExecutor: taskExecutor)
    }

    /// - Parameters:
    ///   - rules: The limits of a batch and the pauses. Default: the vendor's limits.
    ///   - date: The clock for deadlines. Default: the live provider's.
    package func batched(
        as id: ProviderID, reserve: TimeInterval, rules: BatchBoard.Rules?, clock: any Clock<Duration>,
        taskExecutor: (any TaskExecutor)?, date: (@Sendable () -> Date)? = nil
    ) -> VendorBatchProvider {
        let api = batchAPI
        return VendorBatchProvider(
            id, kind: api.kind, live: api.live, vendor: api.vendor, reserve: reserve, rules: rules, clock: clock,
            taskExecutor: taskExecutor, date: date ?? api.date)
    }
}
