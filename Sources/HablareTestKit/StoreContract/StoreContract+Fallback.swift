import Foundation
import Hablare

extension StoreContract {
    static let fallback: [Rule] = [
        Rule("A diverted flight waits for the fallback provider and model, and its tries restart") {
            bench in
            let (owner, first) = try bench.divert()
            try require("claimed for the first", try bench.claim(owner, limit: 9).count, is: 0)
            let claimed = try require("for the second", try bench.claim(owner, provider: "q").first)
            try require("the flight", claimed.id, is: first.flight)
            try require("its tries", claimed.lifecycle.tries, is: 0)
            try require("since when it is tried", claimed.triedSince, is: nil)
            try require("its model", claimed.request.model, is: "small")
            try require("whom it was submitted to", claimed.origin, is: "p")
            let snapshot = try require("a snapshot", try bench.store.snapshot(of: first.request))
            try require("the snapshot's provider", snapshot.providerID, is: "q")
            try require("the snapshot's model", snapshot.model, is: "small")
            try require("the account", try bench.report("shared"), is: ["q"])
        },
        Rule("A diverted flight is not claimed for its first provider, even after two backoffs") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1)))
            _ = try bench.write(.cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(1)))
            _ = try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(2)))
            _ = try bench.divert(bench.startNext(owner))
            try require("claimed for the first", try bench.claim(owner, limit: 9).count, is: 0)
            try require("for the second", try bench.claim(owner, provider: "q", limit: 9).count, is: 1)
        },
        Rule("A postponement past every member's deadline diverts the flight if a fallback is named") {
            bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1, deadline: 30)))
            let attempt = try bench.startNext(owner)
            try bench.settle(
                attempt.postponed(until: 60, elseAsking: "q"), finishing: [], continues: true, isDiverted: true)
            try require("claimed for the first", try bench.claim(owner, limit: 9, at: 90).count, is: 0)
            let claimed = try require("for the second", try bench.claim(owner, provider: "q").first)
            try require("its model", claimed.request.model, is: "small")
            try require("its tries", claimed.lifecycle.tries, is: 0)
            let snapshot = try require("a snapshot", try bench.store.snapshot(of: attempt.request))
            try require("the snapshot's provider", snapshot.providerID, is: "q")
            try require("the phase", snapshot.phase, is: .pending)
            try require("the deadline", snapshot.deadline, is: StoreWorkbench.date(30))
            let line = try bench.store.attempts(of: attempt.request).first
            try require("the ledger's provider", line?.provider, is: "p")
            try require("its error", line?.error, is: StoreWorkbench.overloaded)
            try require("the account", try bench.report("shared"), is: ["q"])
        },
        Rule("A postponement within a member's deadline is kept even if a fallback is named") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1, deadline: 30)))
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(2, deadline: 90)))
            let attempt = try bench.startNext(owner)
            try bench.settle(attempt.postponed(until: 60, elseAsking: "q"), finishing: [1], continues: true)
            try require("claimed for the second", try bench.claim(owner, provider: "q").count, is: 0)
            try require("why the other waits", try bench.store.snapshot(of: StoreWorkbench.id(2))?.providerID, is: "p")
        },
        Rule("When lack of time diverts a flight, members past their deadline fail and the others continue") {
            bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1, deadline: 5)))
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(2, deadline: 30)))
            let attempt = try bench.startNext(owner)
            try bench.settle(
                attempt.postponed(until: 60, at: 6, elseAsking: "q"), finishing: [1], continues: true, isDiverted: true)
            let failed = try bench.store.snapshot(of: StoreWorkbench.id(1))
            try require("the phase", failed?.phase, is: .failed)
            try require("the error", failed?.error, is: StoreWorkbench.overloaded)
            let claimed = try require("for the second", try bench.claim(owner, provider: "q").first)
            try require("who leads", claimed.request.id, is: StoreWorkbench.id(2))
            try require("its model", claimed.request.model, is: "small")
        },
        Rule("A flight without a member before its deadline is not diverted") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1, deadline: 5)))
            let attempt = try bench.startNext(owner)
            try bench.settle(attempt.postponed(until: 60, at: 6, elseAsking: "q"), finishing: [1], continues: false)
            try require("claimed for the second", try bench.claim(owner, provider: "q").count, is: 0)
        },
        Rule("A diverted request is read as it was submitted, and resubmitting it finds it") { bench in
            let (_, first) = try bench.divert()
            let stored = try require("the request", try bench.store.request(of: first.request))
            try require("it", stored.request, is: StoreWorkbench.fallingBack(1))
            try require("its provider", stored.provider, is: "p")
            let receipt = try bench.write(.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1))))
            try require(
                "submitted again", receipt,
                is: .submitted(SubmissionReceipt(id: first.request, flight: first.flight, wasPresent: true)))
        },
        Rule("A request for the work of a diverted flight joins it and shares its answer") { bench in
            let (owner, first) = try bench.divert()
            let twin = StoreWorkbench.fallingBack(2)
            try require(
                "joining", try bench.write(.submit(StoreWorkbench.submission(of: twin))),
                is: .submitted(
                    SubmissionReceipt(id: twin.id, flight: first.flight, wasPresent: false, hasJoined: true)))
            let claimed = try require("for the second", try bench.claim(owner, provider: "q").first)
            let second = try bench.start(claimed, at: 5)
            try bench.settle(second.completed(at: 6), finishing: [1, 2], continues: false)
            try require("nothing is left", try bench.claim(owner, limit: 9).count, is: 0)
        },
        Rule("Each attempt of a fallback chain is in the ledger with its own provider and model") { bench in
            let (owner, first) = try bench.divert()
            let claimed = try require("for the second", try bench.claim(owner, provider: "q").first)
            let second = try bench.start(claimed, at: 5)
            _ = try bench.write(.settle(second.completed(at: 6)))
            let lines = try bench.store.attempts(of: first.request)
            try require("the outcomes", lines.map(\.outcome), is: [.failed, .completed])
            try require("the providers", lines.map(\.provider), is: ["p", "q"])
            try require("the models", lines.map(\.model), is: ["large", "small"])
            let rows = try bench.store.ledger(LedgerQuery(by: .provider)).rows
            try require("the sums", rows.map(\.key), is: ["p", "q"])
        },
        Rule("A late answer of the first provider completes a diverted flight, as that provider's answer") { bench in
            let (_, first) = try bench.divert()
            try require("the receipt", try bench.write(.settle(first.completed(at: 9))), is: .done)
            let response = try bench.store.response(of: first.request)
            try require("who answered", response, is: first.response(at: 9))
            let line = try bench.store.attempts(of: first.request).first
            try require("the ledger's provider", line?.provider, is: "p")
            try require("its outcome", line?.outcome, is: .completed)
        },
    ]
}

extension StoreWorkbench {
    static func fallingBack(_ number: Int, deadline: Int? = nil) -> AIRequest {
        AIRequest(
            id: id(number), prompt: "x", model: "large", deadline: deadline.map(date),
            fallback: [FallbackTarget("q", model: "small"), FallbackTarget("r")])
    }

    /// Submits a request and lets its first provider fail permanently. Returns the attempt at this provider.
    fileprivate func divert() throws -> (owner: OwnerID, attempt: RunningAttempt) {
        let owner = try register()
        try submit(Self.submission(of: Self.fallingBack(1)))
        return (owner, try divert(startNext(owner)))
    }

    /// Ends an attempt with a permanent failure. The flight moves to another provider.
    @discardableResult
    func divert(_ attempt: RunningAttempt) throws -> RunningAttempt {
        let outcome = AttemptEnd.Outcome.diverted(
            Self.failure, to: FallbackTarget("q", model: "small"), account: "shared")
        try require("diverting", try write(.settle(attempt.end(outcome, billing: .neverSent))), is: .done)
        return attempt
    }

    /// Returns the providers that use an account.
    fileprivate func report(_ account: AccountID) throws -> [ProviderID]? {
        try report(AccountReport(account: account, failing: .over), at: 9)
        return try store.accounts().first { $0.id == account }?.providers
    }
}

extension RunningAttempt {
    /// Returns the end of an attempt that failed and is followed by a later attempt. If the later attempt would be too
    /// late, the flight moves to another provider instead.
    fileprivate func postponed(until later: Int, at seconds: Int = 2, elseAsking provider: ProviderID) -> AttemptEnd {
        let target = FallbackTarget(provider, model: "small")
        return end(
            .postponed(
                StoreWorkbench.overloaded, until: StoreWorkbench.date(later),
                else: AttemptEnd.Diversion(to: target, account: "shared")),
            billing: .neverSent, at: seconds)
    }
}
