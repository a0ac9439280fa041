import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// When a failed load is retried.
@Suite struct LoadRetryPolicyTests {
    private struct Odd: Error {}

    private static func overloaded(after: Duration? = nil) -> AIServiceError {
        AIServiceError(.overloaded, "Try again.", disposition: .retry(after: after))
    }

    @Test("The default is three attempts with waits of one and two seconds")
    func byDefault() {
        let policy = LoadRetryPolicy()
        #expect((1...4).map { policy.wait(after: $0, failing: Odd()) } == [.seconds(1), .seconds(2), nil, nil])
        #expect(policy.waits == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test("The last wait applies to all further attempts, and an empty list means no wait")
    func furtherWaits() {
        let long = LoadRetryPolicy(maximumAttempts: 6)
        #expect(
            (1...6).map { long.wait(after: $0, failing: Odd()) }
                == [1, 2, 4, 4, 4, nil].map { $0.map { .seconds($0) } })
        let quick = LoadRetryPolicy(maximumAttempts: 2, waits: [])
        #expect(quick.wait(after: 1, failing: Odd()) == .zero)
        #expect(LoadRetryPolicy.never.wait(after: 1, failing: Odd()) == nil)
    }

    @Test("A cancellation is never retried, even if the policy retries all errors")
    func cancellation() {
        let policy = LoadRetryPolicy(isRetryable: { _ in true })
        #expect(policy.wait(after: 1, failing: CancellationError()) == nil)
        #expect(policy.wait(after: 1, failing: AIServiceError(.cancelled, "Stopped.")) == nil)
    }

    @Test("Foundation's cancellation errors count as cancellations, and its other errors do not")
    func foundationCancellation() {
        let policy = LoadRetryPolicy()
        let cancelled: [any Error] = [
            URLError(.cancelled), CocoaError(.userCancelled), NSError(domain: NSURLErrorDomain, code: -999),
            NSError(domain: NSCocoaErrorDomain, code: 3072),
        ]
        for error in cancelled { #expect(policy.wait(after: 1, failing: error) == nil, "\(error)") }
        let others: [any Error] = [
            URLError(.timedOut), CocoaError(.fileNoSuchFile), NSError(domain: NSCocoaErrorDomain, code: -999),
            NSError(domain: NSURLErrorDomain, code: 3072),
        ]
        for error in others { #expect(policy.wait(after: 1, failing: error) == .seconds(1), "\(error)") }
    }

    @Test("An AIServiceError tells whether a retry can help, and any other error is retried")
    func predicate() {
        let policy = LoadRetryPolicy()
        #expect(policy.wait(after: 1, failing: Self.overloaded()) == .seconds(1))
        #expect(policy.wait(after: 1, failing: AIServiceError(.unauthorized, "Set a key.")) == nil)
        #expect(policy.wait(after: 1, failing: AIServiceError(.invalidRequest, "Ask for less.")) == nil)
        #expect(LoadRetryPolicy(isRetryable: { !($0 is Odd) }).wait(after: 1, failing: Odd()) == nil)
    }

    @Test("Retry-After is respected unless it exceeds the longest wait")
    func retryAfter() {
        let policy = LoadRetryPolicy(longestWait: .seconds(10))
        #expect(policy.wait(after: 1, failing: Self.overloaded(after: .seconds(10))) == .seconds(10))
        #expect(policy.wait(after: 1, failing: Self.overloaded(after: .milliseconds(1))) == .seconds(1))
        #expect(policy.wait(after: 1, failing: Self.overloaded(after: .seconds(11))) == nil)
        let patient = LoadRetryPolicy(waits: [.seconds(20)], longestWait: .zero)
        #expect(patient.wait(after: 1, failing: Self.overloaded(after: .seconds(15))) == .seconds(20))
    }

    @Test("An invalid policy is refused with advice")
    func refused() throws {
        let refused: [LoaderPolicy<Int>] = [
            LoaderPolicy(concurrency: 0), LoaderPolicy(memoryCount: -1), LoaderPolicy(memoryBytes: -1),
            LoaderPolicy(retry: LoadRetryPolicy(maximumAttempts: 0)),
            LoaderPolicy(retry: LoadRetryPolicy(waits: [.seconds(-1)])),
            LoaderPolicy(retry: LoadRetryPolicy(longestWait: .seconds(-1))),
        ]
        for policy in refused {
            let error = #expect(throws: AIServiceError.self) {
                _ = try CoalescingLoader<Int, Int>(policy: policy) { $0 }
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
