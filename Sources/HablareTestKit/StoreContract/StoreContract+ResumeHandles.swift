package import Foundation
package import Hablare

extension StoreContract {
    /// Rules about storing and removing resume handles.
    static let remembering: [Rule] = [
        Rule("A claimed flight contains the last resume handle that an attempt stored") {
            bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            try require("remembering", try bench.remember("one", attempt), is: .done)
            try require("again", try bench.remember("two", attempt), is: .done)
            _ = try bench.retire(attempt)
            let claimed = try bench.claimOne(try bench.register(2))
            try require("the work", claimed.resumePoint, is: ResumePoint(handle: Data("two".utf8)))
            try require("the machine", claimed.lifecycle.hasHandle)
            let again = try bench.start(claimed)
            try require("the generation", again.lifecycle.generation, is: 1)
            try require(
                "the ledger", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.lost, .maybeBilled, at: 40)])
        },
        Rule("A resume handle of any bytes is read as it was written") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            let handle = Data((0..<ProviderCall.maximumHandle).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try require("remembering", try bench.remember(handle, attempt), is: .done)
            _ = try bench.retire(attempt)
            try require("the work", try bench.claimOne(bench.register(2)).resumePoint?.handle, is: handle)
        },
        Rule("A claim in any scope returns the resume handle") { bench in
            let scopes: [(Int, String?, ClaimScope)] = [
                (1, "j", .job(JobKey(rawValue: "j"))), (7, nil, .request(StoreWorkbench.id(7))),
            ]
            for (number, job, scope) in scopes {
                let attempt = try bench.startNext(submitting: StoreWorkbench.submission(number, job: job))
                try require("remembering", try bench.remember("h", attempt), is: .done)
                _ = try bench.write(.settle(attempt.interrupted()))
                let claimed = try bench.claim(try bench.register(2), scope: scope).first
                try require("the work", claimed?.resumePoint?.handle, is: Data("h".utf8))
            }
        },
        Rule("Only the attempt in flight can store or delete the resume handle") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let claimed = try bench.claimOne(owner)
            var attempt = RunningAttempt(
                flight: claimed.id, request: claimed.request.id, lifecycle: claimed.lifecycle,
                startedAt: StoreWorkbench.date(1))
            try require("before it is sent", try bench.remember("h", attempt), is: .refused(.staleToken))
            attempt = try bench.start(claimed)
            try require("the attempt", try bench.remember("h", attempt), is: .done)
            _ = try bench.retire(attempt)
            try require("of a dead process", try bench.remember("x", attempt), is: .refused(.staleToken))
            let next = try bench.startNext(try bench.register(2))
            try require("of a stale owner", try bench.remember("x", attempt), is: .refused(.staleToken))
            try require("forgotten by one", try bench.forget(attempt), is: .refused(.staleToken))
            _ = try bench.write(.settle(next.interrupted()))
            try require("after the end", try bench.remember("x", next), is: .refused(.staleToken))
            try require("what is remembered", try bench.handle(), is: "h")
            let nowhere = ResumeHandleWrite(flight: FlightID(rawValue: 99), token: 1, handle: nil)
            try require("of no flight", try bench.write(.remember(nowhere)), is: .refused(.staleToken))
        },
        Rule("A final request has no resume handle and accepts none") { bench in
            for (number, settlement) in [FlightLifecycle.Outcome.completed, .failed].enumerated() {
                let attempt = try bench.startNext(submitting: StoreWorkbench.submission(number))
                try require("remembering", try bench.remember("h", attempt), is: .done)
                let end = number == 0 ? attempt.completed() : attempt.failed(StoreWorkbench.failure)
                try require("the end", try bench.write(.settle(end)), is: .done)
                try require("afterwards", try bench.remember("x", attempt), is: .refused(.settled(settlement)))
                let life = try bench.store.flights([attempt.flight])[attempt.flight]
                try require("the machine", life?.hasHandle, is: false)
            }
            _ = try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(9)))
            let claimed = try bench.claimOne(try bench.register(2))
            try require("when it is retried", claimed.resumePoint, is: nil)
            try require("its generation", try bench.start(claimed).lifecycle.generation, is: 2)
        },
        Rule("Cancelling deletes the resume handle, and a retry starts over") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            try require("remembering", try bench.remember("h", attempt), is: .done)
            _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(5)))
            try require("afterwards", try bench.remember("x", attempt), is: .refused(.settled(.cancelled)))
            _ = try bench.write(.retry(attempt.request, at: StoreWorkbench.date(9)))
            try require("what is remembered", try bench.handle(), is: nil)
        },
        Rule("Deleting a request deletes its resume handle") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            try require("remembering", try bench.remember("h", attempt), is: .done)
            _ = try bench.write(.delete(attempt.request, at: StoreWorkbench.date(5)))
            let life = try bench.store.flights([attempt.flight])[attempt.flight]
            try require("the machine", life?.hasHandle, is: false)
        },
        Rule("A diversion deletes the resume handle of the previous provider") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1)))
            let attempt = try bench.startNext(owner)
            try require("remembering", try bench.remember("h", attempt), is: .done)
            try bench.divert(attempt)
            let claimed = try require("for the second", try bench.claim(owner, provider: "q").first)
            try require("the work", claimed.resumePoint, is: nil)
            try require("its generation", try bench.start(claimed).lifecycle.generation, is: 2)
        },
        Rule("After its resume handle is deleted, the next attempt starts over") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            _ = try bench.remember("h", attempt)
            try require("forgetting", try bench.forget(attempt), is: .done)
            try require("forgetting what is not there", try bench.forget(attempt), is: .done)
            _ = try bench.retire(attempt)
            let claimed = try bench.claimOne(try bench.register(2))
            try require("the work", claimed.resumePoint, is: nil)
            try require("its generation", try bench.start(claimed).lifecycle.generation, is: 2)
        },
        Rule("If the stored handle is not the expected one, an end takes its outcome for that case") { bench in
            let failure = StoreWorkbench.failure
            let ends: [(String, Bool, ChangeSummary.Outcome, RequestPhase)] = [
                ("remembered as believed", true, .interrupted, .pending),
                ("forgotten, which was not believed", false, .failed(failure), .failed),
            ]
            for (number, (name, remembers, outcome, phase)) in ends.enumerated() {
                for isHanded in [false, true] {
                    let id = 2 * number + (isHanded ? 1 : 0)
                    var attempt = try bench.startNext(submitting: StoreWorkbench.submission(id))
                    _ = try bench.remember("h", attempt)
                    if isHanded {
                        _ = try bench.write(.settle(attempt.interrupted()))
                        attempt = try bench.startNext(try bench.register(3))
                    }
                    if !remembers { _ = try bench.forget(attempt) }
                    var end = attempt.interrupted()
                    end.outcomeIfHandleChanged = AttemptEnd.OutcomeIfHandleChanged(hasHandle: false, .failed(failure))
                    let settlement = try bench.settle(end)
                    try require(name, ChangeSummary.Outcome(settlement), is: outcome)
                    try require(name, settlement.end.outcomeIfHandleChanged == nil)
                    try require(name, try bench.store.snapshot(of: attempt.request)?.phase, is: phase)
                    _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(9)))
                }
            }
        },
        Rule("An end with forgetsHandle deletes the resume handle") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            _ = try bench.remember("h", attempt)
            var end = attempt.postponed(until: 9)
            end.forgetsHandle = true
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            try require("what is remembered", try bench.handle(at: 9), is: nil)
        },
    ]

    /// Rules about later attempts that use a resume handle.
    static let resuming: [Rule] = [
        Rule("A resume handle survives a retried failure, a hold and an interruption") { bench in
            let ends: [(String, (RunningAttempt) -> AttemptEnd)] = [
                ("postponed", { $0.postponed(until: 3) }), ("held", { $0.held() }),
                ("interrupted", { $0.interrupted() }),
            ]
            for (number, (name, end)) in ends.enumerated() {
                let attempt = try bench.startNext(submitting: StoreWorkbench.submission(number))
                _ = try bench.remember(name, attempt)
                try require("the receipt", try bench.write(.settle(end(attempt))), is: .done)
                if name == "held" { _ = try bench.write(.retry(attempt.request, at: StoreWorkbench.date(4))) }
                try require("what is remembered", try bench.handle(at: 5), is: name)
            }
        },
        Rule("A flight with a resume handle waits again after its process died, even with the policy hold") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1, unknownOutcome: .hold))
            _ = try bench.remember("h", attempt)
            try require("the receipt", try bench.retire(attempt), is: .broken(flights: 1))
            let waiting = try bench.store.snapshot(of: attempt.request)?.waiting
            try require("why it waits", waiting, is: .unclaimed(ahead: 0))
            try require("what is remembered", try bench.handle(), is: "h")
        },
        Rule("A flight lost ten times is held even with a resume handle, and resumes when retried") { bench in
            var attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            _ = try bench.remember("h", attempt)
            for number in 0..<FlightLifecycle.maximumLosses - 1 {
                _ = try bench.retire(attempt)
                attempt = try bench.startNext(try bench.register(Int32(number + 2)))
            }
            _ = try bench.retire(attempt)
            try require("why it waits", try bench.store.snapshot(of: attempt.request)?.waiting, is: .held)
            _ = try bench.write(.retry(attempt.request, at: StoreWorkbench.date(90)))
            try require("what is remembered", try bench.handle(), is: "h")
        },
        Rule("A stream with a resume handle continues, even if it may not restart") { bench in
            let first = try bench.startStream()
            _ = try bench.append(first, 0, ["an", "s"])
            _ = try bench.remember("h", first)
            try require("the receipt", try bench.retire(first), is: .broken(flights: 1))
            try require("the phase", try bench.store.snapshot(of: first.request)?.phase, is: .pending)
            let claimed = try bench.claimOne(try bench.register(2))
            let expected = ResumePoint(handle: Data("h".utf8), keptChunks: 2, keptBytes: 3)
            try require("the work", claimed.resumePoint, is: expected)
            let second = try bench.start(claimed)
            try require("the generation", second.lifecycle.generation, is: 1)
            try require("of the stale owner", try bench.append(first, 2, ["w"]), is: .refused(.staleToken))
            try require("with a gap", try bench.append(second, 3, ["r"]), is: .refused(.outOfOrder))
            try require("what follows", try bench.append(second, 2, ["wer"]), is: .done)
            var end = second.completed()
            end.isStreaming = true
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            let page = try bench.page(of: second, from: 0)
            try require("the chunks", page.chunks.map(\.text), is: ["an", "s", "wer"])
        },
        Rule("A stream whose resume handle was deleted restarts or fails, and its chunks are dropped") { bench in
            let first = try bench.startStream(StreamingPolicy(allowsRestart: true))
            _ = try bench.append(first, 0, ["old"])
            _ = try bench.remember("h", first)
            _ = try bench.retire(first)
            let second = try bench.startNext(try bench.register(2))
            try require("forgetting", try bench.forget(second), is: .done)
            _ = try bench.write(.settle(second.postponed(until: 3)))
            let third = try bench.start(try bench.claimOne(try bench.register(3), at: 3))
            try require("the generation", third.lifecycle.generation, is: 2)
            try require("what it yields", try bench.append(third, 0, ["new"]), is: .done)
            try require("the chunks", try bench.page(of: third, from: 0).chunks.map(\.text), is: ["new"])
        },
        Rule("A dead process's stream without a resume handle fails if it may not restart") { bench in
            let attempt = try bench.startStream()
            _ = try bench.append(attempt, 0, ["part"])
            _ = try bench.remember("h", attempt)
            _ = try bench.forget(attempt)
            _ = try bench.retire(attempt)
            try require("the error", try bench.store.snapshot(of: attempt.request)?.error, is: .streamInterrupted)
        },
        Rule("Chunks of an earlier generation do not count as kept output") { bench in
            let first = try bench.startStream(StreamingPolicy(allowsRestart: true))
            _ = try bench.append(first, 0, ["old"])
            _ = try bench.retire(first)
            let second = try bench.startNext(try bench.register(2))
            _ = try bench.remember("h", second)
            _ = try bench.retire(second)
            let claimed = try bench.claimOne(try bench.register(3))
            try require("the work", claimed.resumePoint, is: ResumePoint(handle: Data("h".utf8)))
            let third = try bench.start(claimed)
            try require("the generation", third.lifecycle.generation, is: 2)
            try require("what it yields", try bench.append(third, 0, ["new"]), is: .done)
        },
        Rule("A late answer of an attempt with a resume handle completes the flight, and nothing is resumed") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1, unknownOutcome: .hold))
            _ = try bench.remember("h", attempt)
            _ = try bench.retire(attempt)
            try require("the receipt", try bench.write(.settle(attempt.completed())), is: .done)
            try require("to claim", try bench.claim(try bench.register(2), limit: 9).count, is: 0)
        },
    ]
}

extension StoreWorkbench {
    /// Submits a request, and starts an attempt in a separate process.
    func startNext(submitting submission: Submission) throws -> RunningAttempt {
        try submit(submission)
        return try startNext(try register())
    }

    /// Stores a resume handle for an attempt.
    package func remember(_ handle: Data, _ attempt: RunningAttempt) throws -> WriteReceipt {
        try write(
            .remember(ResumeHandleWrite(flight: attempt.flight, token: attempt.lifecycle.token, handle: handle)))
    }

    func remember(_ handle: String, _ attempt: RunningAttempt) throws -> WriteReceipt {
        try remember(Data(handle.utf8), attempt)
    }

    /// Removes the resume handle of an attempt.
    func forget(_ attempt: RunningAttempt) throws -> WriteReceipt {
        try write(.remember(ResumeHandleWrite(flight: attempt.flight, token: attempt.lifecycle.token, handle: nil)))
    }

    /// Claims the next flight, and returns its resume handle.
    func handle(at seconds: Int = 0) throws -> String? {
        try claimOne(try register(9), at: seconds).resumePoint.map { String(decoding: $0.handle, as: UTF8.self) }
    }
}

extension RunningAttempt {
    /// Returns the end of an attempt that was stopped by its process.
    fileprivate func interrupted() -> AttemptEnd { end(.interrupted, billing: .maybeBilled) }
}
