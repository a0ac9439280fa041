import Hablare
import HablareTestKit
import Testing

/// Each deliberately broken provider is refused by the rule that it breaks.
@Suite(.timeLimit(.minutes(5))) struct ContractBitesTests {
    @Test("A correct provider passes every rule", arguments: ProviderContract.rules)
    func right(_ rule: ProviderContract.Rule) async throws {
        try await ProviderContract(LittleStage()).check(rule)
    }

    /// The defect, the rule that it breaks, and the rule's message.
    private static let broken: [(defect: LittleDefect, rule: String, violation: String)] = [
        (.answersAnotherKind, "A successful answer", "the content of call 7, whole"),
        (.saysNoUsage, "A successful answer", "the usage, whole"),
        (.yieldsAndAnswers, "A successful answer", "call 7, streamed: a call that returns content yields no chunks"),
        (.yieldsAndAnswers, "An engine delivers", "an engine's answer, streamed"),
        (.takesOnePieceForAll, "An answer received", "the content of call 8, whole"),
        (.keepsAllBack, "Chunks are yielded", "the end of a cancelled call: not within"),
        (.answersTheFirstCaller, "Concurrent calls do", "the content of call 1"),
        (.saysNoLimits, "Rate limits in", "the limits, service answers"),
        (.retriesWithoutMoney, "Each failure of", "the disposition after poor"),
        (.readsWholePages, "An error page", "the provider closed the connection before the end of the answer"),
        (.takesAnything, "A response that", ", whole did not fail"),
        (.takesPartForWhole, "An answer cut", "the content of call"),
        (.retriesWhatWasLost, "An answer cut", "the disposition after call"),
        (.takesEarlyEndForEnd, "An answer that", "the content of call"),
        (.isDeaf, "A call cancelled before its", "the end of a cancelled call: not within"),
        (.callsCancellationAnError, "A call cancelled before its", "the code of a cancelled call 0, whole"),
        (.isDeafInTheMiddle, "A call cancelled during", "the end of a cancelled call: not within"),
        (
            .sendsAfterCancellation, "A call cancelled before it starts",
            "the number of calls that the service received: expected 1, found 3"
        ),
        (.dropsWhatIsNotTaken, "A refused chunk", "the end of a call whose chunk is refused: not within"),
        (.gathersWithoutEnd, "An endless answer", "the end of an endless answer: not within"),
        (.isDeaf, "The attempt timeout", ": not within"),
        (.waitsForEver, "A service that", "the end of a silent call: not within"),
        (.keepsSignsBack, "Keep-alive signs of", "the end of a cancelled call: not within"),
        (.tellsKey, "A prompt or", "the error contains no key"),
        (.tellsPrompt, "A prompt or", "the error contains no prompt"),
        (.hasKeyBesideAnswers, "A prompt or", "the metadata contains no key"),
        (.logsKey, "No prompt and no key is logged", "a line of the log contains no key"),
        (.showsKey, "The provider's description", "the provider's"),
        (.isAnotherWithAnotherKey, "The provider's description", "the provider's"),
        (.isSameEverywhere, "The provider's identity", "the instance with another place differs from"),
        (.isAnotherWithAnotherKey, "The provider's identity", "with another key: expected"),
        (.allowsNoCall, "An engine accepts", "a registry with the provider: "),
        (.promisesTooLittle, "An engine accepts", "is not less than the usage of a call"),
        (.promisesLessThanNothing, "An engine accepts", "has no negative number"),
    ]

    /// The defects with which a call never ends.
    private static let endless: Set<LittleDefect> = [
        .keepsSignsBack, .keepsAllBack, .isDeaf, .isDeafInTheMiddle, .dropsWhatIsNotTaken, .gathersWithoutEnd,
        .waitsForEver,
    ]

    @Test("A defect is detected by its rule", arguments: broken)
    func wrong(_ defect: LittleDefect, _ beginning: String, _ violation: String) async throws {
        let rule = try #require(ProviderContract.rules.first { $0.name.hasPrefix(beginning) })
        // The wait for a provider that never answers is short. A correct provider on a busy machine would need more,
        // but none of these is correct.
        let timeout = Self.endless.contains(defect) ? Duration.milliseconds(500) : contractTimeout
        let contract = ProviderContract(LittleStage(defect: defect), timeout: timeout, log: .process)
        let found = try await #require(throws: ContractViolation.self, "\(rule)") { try await contract.check(rule) }
        // The message must name the defect itself, even if a slow machine causes other failures.
        #expect(found.message.contains(violation), "\(found)")
    }

    @Test("Every rule and every defect is covered")
    func complete() {
        for rule in ProviderContract.rules {
            #expect(Self.broken.contains { rule.name.hasPrefix($0.rule) }, "nothing breaks: \(rule)")
        }
        #expect(Set(Self.broken.map(\.defect)) == Set(LittleDefect.allCases))
        #expect(ProviderContract.rules(for: LittleStage()).map(\.name) == ProviderContract.rules.map(\.name))
    }

    @Test("A prompt's number is found in it")
    func numbers() {
        for number in [0, 7, 12_345, 99_999] {
            #expect(ProviderContract.number(in: ProviderContract.prompt(number)) == number)
            #expect(ProviderContract.prompt(number).utf8.count == ProviderContract.prompt(0).utf8.count)
        }
        #expect(ProviderContract.number(in: "no number") == nil)
    }
}
