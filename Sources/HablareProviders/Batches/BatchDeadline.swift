public import Foundation
public import Hablare

/// The time by which a request that may wait for a batch must be answered.
public struct BatchDeadline: Sendable, Hashable {
    private enum Time: Sendable, Hashable {
        case within(TimeInterval)
        case by(Date)
    }

    private let time: Time

    /// A day. Most batches end within this time.
    public static let slack = within(.seconds(86_400))

    /// A time from now on. A batch is possible only if the time is longer than ``VendorBatchProvider/reserve``.
    public static func within(_ time: Duration) -> BatchDeadline { BatchDeadline(time: .within(time / .seconds(1))) }

    /// A date.
    public static func by(_ date: Date) -> BatchDeadline { BatchDeadline(time: .by(date)) }

    fileprivate func date(from now: Date) -> Date {
        switch time {
        case .within(let seconds): now.addingTimeInterval(seconds)
        case .by(let date): date
        }
    }
}

extension AIRequest {
    /// Returns a copy of the request that may wait for a batch until the deadline. If no batch answers the request in
    /// time, the live provider answers it.
    ///
    /// Submit the copy to a ``VendorBatchProvider``:
    ///
    /// ```swift
    /// try await manager.submit(request.deadline(.slack, orLive: "openai"), to: "openai.batch")
    /// ```
    ///
    /// The answer of a batch does not stream, and its attempt lasts for hours. Therefore the copy has no
    /// ``/Hablare/AIRequest/streaming`` and no ``/Hablare/AIRequest/attemptTimeout``. The live call has its provider's
    /// own timeout.
    ///
    /// - Parameters:
    ///   - deadline: The time by which the answer is needed. A batch takes up to a day.
    ///   - model: The model of the live call. Default: the request's.
    ///   - live: The provider for the live call.
    ///   - now: The current date.
    public func deadline(
        _ deadline: BatchDeadline, model: String? = nil, orLive live: ProviderID, from now: Date = Date()
    ) -> AIRequest {
        var request = self
        request.deadline = deadline.date(from: now)
        request.fallback = [FallbackTarget(live, model: model ?? self.model)] + fallback
        request.streaming = nil
        request.attemptTimeout = nil
        return request
    }
}
