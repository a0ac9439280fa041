/// A guarantee of the engine, which is checked after a history with the events that are visible outside the engine.
package protocol SimulationRule: Sendable {
    /// The rule's name in reports: the guarantee's number and a few words.
    static var name: String { get }
    /// Returns all violations of the rule.
    static func violations(in history: SimulationHistory) -> [String]
}

/// A violation of a guarantee.
package struct SimulationViolation: Sendable, Hashable {
    /// The violated rule.
    package let rule: String
    /// A description of the violation.
    package let message: String
}

/// All rules.
package enum SimulationRules {
    /// All rules, in the order of the guarantees.
    package static let all: [any SimulationRule.Type] = [
        AcknowledgedIsDurable.self, RegeneratedIsDurable.self, ContentIsKept.self, OneRecordedOutcome.self,
        AnswersAreTrue.self, WorkIsShared.self,
        FinalIsFinal.self, RetriesAreRecorded.self, EveryWaitEnds.self, SuspensionIsKept.self, LateReadersKnow.self,
        CancelMeansCancel.self,
        CancelAllMeansAll.self,
        OneFlight.self, RememberedWorkIsResumed.self, OnlyWantedWorkIsResumed.self,
        LeasesAreRespected.self, NothingPaidInSilence.self, ErrorsAreTyped.self, ConcurrencyIsLimited.self,
        RetriesAreBounded.self, NobodyGivesUpEarly.self, RetryAfterIsKept.self, DeadlinesAreKept.self, HeldIsHeld.self,
        WaitsAreExplained.self,
        StreamsAreTrue.self, LimitsAreShared.self, PausesAreKept.self, FailingIsLeftAlone.self, NobodyStarves.self,
        EverythingEnds.self, BudgetsAreKept.self, LedgerIsTrue.self, CacheIsHonest.self, ChainsAreFollowed.self,
        RetentionIsKept.self, FilesAreKept.self, FollowersFollow.self, ScopesAreKept.self,
    ]

    /// Checks the given rules for a history. Default: all rules.
    package static func judge(
        _ history: SimulationHistory, by rules: [any SimulationRule.Type] = all
    ) -> [SimulationViolation] {
        rules.flatMap { rule in
            rule.violations(in: history).map { SimulationViolation(rule: rule.name, message: $0) }
        }
    }
}
