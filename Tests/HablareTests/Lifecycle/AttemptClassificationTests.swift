import HablareTestKit
import Testing

@testable import Hablare

@Suite struct AttemptClassificationTests {
    private static let reasons: [StopReason?] = [
        nil, .timedOut(after: .seconds(3)), .cancelled, .expired, .interrupted, .offline,
    ]

    private func summary(
        _ result: Result<ProviderAnswer, AIServiceError>, _ reason: StopReason?, promised: ContentType = .text
    ) -> String {
        let verdict = AttemptClassification(result, promised: promised, stopped: reason)
        return switch verdict.outcome {
        case .completed: "completed \(verdict.billing)"
        case .failed(let error): "\(error.code) \(verdict.billing)"
        case .expired: "expired \(verdict.billing)"
        case .interrupted: "interrupted \(verdict.billing)"
        }
    }

    @Test("A success counts even if the attempt was stopped")
    func answers() {
        for reason in Self.reasons {
            #expect(summary(.success(ProviderAnswer(.text("a"))), reason) == "completed billed")
        }
    }

    @Test("An answer of the wrong content type is invalid and billed")
    func wrongType() {
        for reason in Self.reasons {
            let answer = ProviderAnswer(.data(Body("a")))
            #expect(summary(.success(answer), reason) == "invalid-response billed")
        }
    }

    @Test("A text is accepted if a structured value was promised, and no other mismatch is")
    func wordsForTree() {
        let contents: [ResponseContent] = [.text("a"), .data("a"), .embedding([1]), .structured(1)]
        func verdicts(_ promised: ContentType) -> [String] {
            contents.map { summary(.success(ProviderAnswer($0)), nil, promised: promised) }
        }
        let (taken, refused) = ("completed billed", "invalid-response billed")
        #expect(verdicts(.structured) == [taken, refused, refused, taken])
        #expect(verdicts(.text) == [taken, refused, refused, refused])
        #expect(verdicts(.data) == [refused, taken, refused, refused])
    }

    @Test("A failure after a stop has the stop's reason, whatever error the provider reports")
    func failuresAfterStops() {
        let network = AIServiceError(
            AIServiceError.Code(rawValue: "connection-reset"), "", category: .network, disposition: .retry(after: nil))
        #expect(
            Self.reasons.map { summary(.failure(network), $0) } == [
                "connection-reset neverSent", "timeout maybeBilled", "cancelled maybeBilled", "expired maybeBilled",
                "interrupted maybeBilled", "interrupted neverSent",
            ])
    }

    @Test("A network failure while offline is an interruption, maybe billed if the outcome is unknown")
    func offline() {
        #expect(
            [AIServiceError.Code.connectionFailed, .connectionLost].map {
                summary(.failure(AIServiceError($0, "")), .offline)
            } == ["interrupted neverSent", "interrupted maybeBilled"])
    }

    @Test("A failure is not billed unless its outcome is unknown")
    func billing() {
        let dispositions: [FailureDisposition] = [.fail, .retry(after: nil), .needsUser, .outcomeUnknown]
        let billing = dispositions.map { disposition in
            AttemptClassification(
                .failure(AIServiceError(.providerFailed, "", disposition: disposition)), promised: .text, stopped: nil
            ).billing
        }
        #expect(billing == [.neverSent, .neverSent, .neverSent, .maybeBilled])
    }

    @Test("A failure's own billing holds for any disposition and any stop reason")
    func knownBilling() {
        for reason in Self.reasons {
            for disposition in [FailureDisposition.fail, .needsUser, .outcomeUnknown] {
                let billings: [FailureBilling] = [.maybeBilled, .billed(Usage(outputTokens: 7))]
                let states = billings.map { billing in
                    AttemptClassification(
                        .failure(
                            AIServiceError(.invalidResponse, "", disposition: disposition, billing: billing)),
                        promised: .text, stopped: reason
                    ).billing
                }
                #expect(states == [.maybeBilled, .billed])
            }
        }
    }

    @Test("The timeout error states the duration")
    func timeoutMessage() {
        guard
            case .failed(let error) = AttemptClassification(
                .failure(AIServiceError(.cancelled, "")), promised: .text,
                stopped: .timedOut(after: .milliseconds(90_500))
            ).outcome
        else { return #expect(Bool(false)) }
        #expect(error.code == .timeout && error.disposition == .outcomeUnknown)
        #expect(error.message.contains("1 min") && error.message.contains("30 sec"))
    }

    @Test("A timeout before anything was sent is retried and never held")
    func unsentTimeout() {
        let verdict = AttemptClassification(
            .failure(.attemptCancelled), promised: .text, stopped: .timedOut(after: .seconds(1)), wasSent: false)
        guard case .failed(let error) = verdict.outcome else { return #expect(Bool(false)) }
        #expect(error.code == .timeout && error.disposition == .retry(after: nil))
    }

    @Test("An answer that cannot be stored is invalid")
    func notStorable() {
        var deep = ParameterValue.null
        for _ in 0..<65 { deep = .array([deep]) }
        for value in [.double(.nan), .array([.double(.infinity)]), .object(["a": .double(-.infinity)]), deep] {
            let answer = ProviderAnswer(.structured(value))
            #expect(summary(.success(answer), nil, promised: .structured) == "invalid-response billed")
        }
        guard case .array(let inner) = deep, let allowed = inner.first else { return #expect(Bool(false)) }
        #expect(
            summary(.success(ProviderAnswer(.structured(allowed))), nil, promised: .structured) == "completed billed")
    }
}
