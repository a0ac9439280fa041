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
        (.answersAnotherKind, "A good answer is", "the content of call 7, whole"),
        (.saysNoUsage, "A good answer is", "what was used, whole"),
        (.yieldsAndAnswers, "A good answer is", "call 7, streamed: nothing is yielded beside an answer of its own"),
        (.yieldsAndAnswers, "An answer comes through", "an engine's answer, streamed"),
        (.takesOnePieceForAll, "An answer whose bytes", "the content of call 8, whole"),
        (.keepsAllBack, "What has come", "the end of a cancelled call: not within"),
        (.answersTheFirstCaller, "Calls at the same time", "the content of call 1"),
        (.saysNoLimits, "What the service says of its limits", "the limits, service answers"),
        (.retriesWithoutMoney, "Every failure", "whose move it is after poor"),
        (.readsWholePages, "An error page", "the service could not say all it had to say"),
        (.takesAnything, "What is not of", ", whole did not fail"),
        (.takesPartForWhole, "An answer that is broken off", "the content of call"),
        (.retriesWhatWasLost, "An answer that is broken off", "whose move it is after call"),
        (.takesEarlyEndForEnd, "An answer that ends early", "the content of call"),
        (.isDeaf, "A call that is cancelled before", "the end of a cancelled call: not within"),
        (.callsCancellationAnError, "A call that is cancelled before", "the code of a cancelled call 0, whole"),
        (.isDeafInTheMiddle, "A call that is cancelled in", "the end of a cancelled call: not within"),
        (.sendsAfterCancellation, "A call that was cancelled", "the calls that came: expected 1, found 3"),
        (.dropsWhatIsNotTaken, "A piece that is not taken", "the end of a call whose piece is not taken: not within"),
        (.gathersWithoutEnd, "Of an answer without an end", "the end of an answer without one: not within"),
        (.isDeaf, "The time of an attempt", ": not within"),
        (.waitsForEver, "A service that is silent", "the end of a silence: not within"),
        (.keepsSignsBack, "A service that is at work", "the end of a cancelled call: not within"),
        (.tellsKey, "What a service says back", "the error has no key in it"),
        (.tellsPrompt, "What a service says back", "the error has no prompt in it"),
        (.hasKeyBesideAnswers, "What a service says back", "the metadata has no key in it"),
        (.logsKey, "No prompt and no key is logged", "a line of the log has no key in it"),
        (.showsKey, "A provider shows no key", "the provider's"),
        (.isAnotherWithAnotherKey, "A provider shows no key", "the provider's"),
        (.isSameEverywhere, "A provider at another place", "with another place it is another one than"),
        (.isAnotherWithAnotherKey, "A provider at another place", "with another key: expected"),
        (.allowsNoCall, "A provider's limits", "a registry with it: "),
        (.promisesTooLittle, "A provider's limits", "is no less than what one used"),
        (.promisesLessThanNothing, "A provider's limits", "has no negative number"),
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
        let patience = Self.endless.contains(defect) ? Duration.milliseconds(500) : contractPatience
        let contract = ProviderContract(LittleStage(defect: defect), patience: patience, log: .process)
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
