import Hablare
import HablareTestKit
import Testing

/// Providers that are wrong on purpose are refused, each by the rule that it breaks.
@Suite(.timeLimit(.minutes(5))) struct ContractBitesTests {
    @Test("A provider that is right keeps every rule", arguments: ProviderContract.rules)
    func right(_ rule: ProviderContract.Rule) async throws {
        try await ProviderContract(LittleStage()).check(rule)
    }

    private static let broken: [(defect: LittleDefect, rule: String)] = [
        (.answersAnotherKind, "A good answer is"), (.saysNoUsage, "A good answer is"),
        (.yieldsAndAnswers, "A good answer is"), (.yieldsAndAnswers, "An answer comes through"),
        (.takesOnePieceForAll, "An answer whose bytes"), (.keepsAllBack, "What has come"),
        (.answersTheFirstCaller, "Calls at the same time"), (.saysNoLimits, "What the service says of its limits"),
        (.retriesWithoutMoney, "Every failure"), (.readsWholePages, "An error page"),
        (.takesAnything, "What is not of"), (.takesPartForWhole, "An answer that is broken off"),
        (.retriesWhatWasLost, "An answer that is broken off"), (.takesEarlyEndForEnd, "An answer that ends early"),
        (.isDeaf, "A call that is cancelled before"), (.callsCancellationAnError, "A call that is cancelled before"),
        (.isDeafInTheMiddle, "A call that is cancelled in"), (.sendsAfterCancellation, "A call that was cancelled"),
        (.dropsWhatIsNotTaken, "A piece that is not taken"), (.gathersWithoutEnd, "Of an answer without an end"),
        (.isDeaf, "The time of an attempt"), (.waitsForEver, "A service that is silent"),
        (.keepsSignsBack, "A service that is at work"),
        (.tellsKey, "What a service says back"), (.tellsPrompt, "What a service says back"),
        (.hasKeyBesideAnswers, "What a service says back"), (.logsKey, "No prompt and no key is logged"),
        (.showsKey, "A provider shows no key"), (.isAnotherWithAnotherKey, "A provider shows no key"),
        (.isSameEverywhere, "A provider at another place"), (.isAnotherWithAnotherKey, "A provider at another place"),
        (.allowsNoCall, "A provider's limits"), (.promisesTooLittle, "A provider's limits"),
    ]

    /// Those with which a call never ends.
    private static let endless: Set<LittleDefect> = [
        .keepsSignsBack, .keepsAllBack, .isDeaf, .isDeafInTheMiddle, .dropsWhatIsNotTaken, .gathersWithoutEnd,
        .waitsForEver,
    ]

    @Test("A defect is noticed by its rule", arguments: broken)
    func wrong(_ defect: LittleDefect, _ beginning: String) async throws {
        let rule = try #require(ProviderContract.rules.first { $0.name.hasPrefix(beginning) })
        // Who never answers is not waited for long. That is too short for a provider that is right on a busy machine, but
        // none of these is.
        let patience = Self.endless.contains(defect) ? Duration.milliseconds(500) : .seconds(60)
        let contract = ProviderContract(LittleStage(defect: defect), patience: patience, log: .process)
        await #expect(throws: (any Error).self, "\(rule)") { try await contract.check(rule) }
    }

    @Test("Every rule and every defect is among them")
    func complete() {
        for rule in ProviderContract.rules {
            #expect(Self.broken.contains { rule.name.hasPrefix($0.rule) }, "nothing breaks: \(rule)")
        }
        #expect(Set(Self.broken.map(\.defect)) == Set(LittleDefect.allCases))
        #expect(ProviderContract.rules(for: LittleStage()).map(\.name) == ProviderContract.rules.map(\.name))
    }

    @Test("The number of a prompt is found in it")
    func numbers() {
        for number in [0, 7, 12_345, 99_999] {
            #expect(ProviderContract.number(in: ProviderContract.prompt(number)) == number)
            #expect(ProviderContract.prompt(number).utf8.count == ProviderContract.prompt(0).utf8.count)
        }
        #expect(ProviderContract.number(in: "no number") == nil)
    }
}
