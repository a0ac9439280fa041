/// A promise of the engine, judged from outside over a whole history.
package protocol SimulationRule: Sendable {
    /// What it is called in reports: the guarantee and a word.
    static var name: String { get }
    /// Everything that breaks it.
    static func violations(in history: SimulationHistory) -> [String]
}

/// A broken promise.
package struct SimulationViolation: Sendable, Hashable {
    /// The rule that is broken.
    package let rule: String
    /// What broke it.
    package let message: String
}

/// All rules.
package enum SimulationRules {
    /// In the order of the guarantees.
    package static let all: [any SimulationRule.Type] = [
        AcknowledgedIsDurable.self, RegeneratedIsDurable.self, ContentIsKept.self, OneRecordedOutcome.self,
        AnswersAreTrue.self, WorkIsShared.self,
        FinalIsFinal.self, RetriesAreRecorded.self, EveryWaitEnds.self, RestIsKept.self, LateReadersKnow.self,
        CancelMeansCancel.self,
        CancelAllMeansAll.self,
        OneFlight.self, RememberedGoesOn.self, WantedGoesOn.self,
        LeasesAreRespected.self, NothingPaidInSilence.self, ErrorsAreTyped.self, ConcurrencyIsLimited.self,
        RetriesAreBounded.self, NobodyGivesUpEarly.self, RetryAfterIsKept.self, DeadlinesAreKept.self, HeldIsHeld.self,
        WaitsAreExplained.self,
        StreamsAreTrue.self, LimitsAreShared.self, PausesAreKept.self, FailingIsLeftAlone.self, NobodyStarves.self,
        EverythingEnds.self, BudgetsAreKept.self, LedgerIsTrue.self, CacheIsHonest.self, ChainsAreFollowed.self,
        RetentionIsKept.self, FilesAreKept.self, FollowersFollow.self, ScopesAreKept.self,
    ]

    /// Judges a history; by all rules, unless others are given.
    package static func judge(
        _ history: SimulationHistory, by rules: [any SimulationRule.Type] = all
    ) -> [SimulationViolation] {
        rules.flatMap { rule in
            rule.violations(in: history).map { SimulationViolation(rule: rule.name, message: $0) }
        }
    }
}
