package import Foundation
package import Hablare

extension StoreContract {
    /// The storing and the removal of handles.
    static let remembering: [Rule] = [
        Rule("What an attempt remembered comes with the flight when it is claimed again, the last word of it") {
            bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            try require("remembering", try bench.remember("one", attempt), is: .done)
            try require("again", try bench.remember("two", attempt), is: .done)
            _ = try bench.retire(attempt)
            let claimed = try bench.claimOne(try bench.register(2))
            try require("the work", claimed.remembered, is: RememberedWork(handle: Data("two".utf8)))
            try require("the machine", claimed.lifecycle.hasHandle)
            let again = try bench.start(claimed)
            try require("the generation", again.lifecycle.generation, is: 1)
            try require(
                "the ledger", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.lost, .maybeBilled, at: 40)])
        },
        Rule("A handle of any bytes comes back as it was") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            let handle = Data((0..<ProviderCall.maximumHandle).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try require("remembering", try bench.remember(handle, attempt), is: .done)
            _ = try bench.retire(attempt)
            try require("the work", try bench.claimOne(bench.register(2)).remembered?.handle, is: handle)
        },
        Rule("A handle comes with the flight in whichever scope it is claimed") { bench in
            let scopes: [(Int, String?, ClaimScope)] = [
                (1, "j", .job(JobKey(rawValue: "j"))), (7, nil, .request(StoreWorkbench.id(7))),
            ]
            for (number, job, scope) in scopes {
                let attempt = try bench.startNext(submitting: StoreWorkbench.submission(number, job: job))
                try require("remembering", try bench.remember("h", attempt), is: .done)
                _ = try bench.write(.settle(attempt.interrupted()))
                let claimed = try bench.claim(try bench.register(2), scope: scope).first
                try require("the work", claimed?.remembered?.handle, is: Data("h".utf8))
            }
        },
        Rule("Nobody but the attempt under way remembers or forgets") { bench in
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
            let nowhere = AttemptMemory(flight: FlightID(rawValue: 99), token: 1, handle: nil)
            try require("of no flight", try bench.write(.remember(nowhere)), is: .refused(.staleToken))
        },
        Rule("A request that is final remembers nothing, and is not made to") { bench in
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
            try require("when it is retried", claimed.remembered, is: nil)
            try require("its generation", try bench.start(claimed).lifecycle.generation, is: 2)
        },
        Rule("A cancelled request forgets, and begins anew when it is retried") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            try require("remembering", try bench.remember("h", attempt), is: .done)
            _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(5)))
            try require("afterwards", try bench.remember("x", attempt), is: .refused(.settled(.cancelled)))
            _ = try bench.write(.retry(attempt.request, at: StoreWorkbench.date(9)))
            try require("what is remembered", try bench.handle(), is: nil)
        },
        Rule("What is deleted is forgotten") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            try require("remembering", try bench.remember("h", attempt), is: .done)
            _ = try bench.write(.delete(attempt.request, at: StoreWorkbench.date(5)))
            let life = try bench.store.flights([attempt.flight])[attempt.flight]
            try require("the machine", life?.hasHandle, is: false)
        },
        Rule("Another provider is told nothing of what the last one remembered") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(of: StoreWorkbench.fallingBack(1)))
            let attempt = try bench.startNext(owner)
            try require("remembering", try bench.remember("h", attempt), is: .done)
            try bench.divert(attempt)
            let claimed = try require("for the second", try bench.claim(owner, provider: "q").first)
            try require("the work", claimed.remembered, is: nil)
            try require("its generation", try bench.start(claimed).lifecycle.generation, is: 2)
        },
        Rule("What is forgotten is not remembered, and the next attempt begins anew") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            _ = try bench.remember("h", attempt)
            try require("forgetting", try bench.forget(attempt), is: .done)
            try require("forgetting what is not there", try bench.forget(attempt), is: .done)
            _ = try bench.retire(attempt)
            let claimed = try bench.claimOne(try bench.register(2))
            try require("the work", claimed.remembered, is: nil)
            try require("its generation", try bench.start(claimed).lifecycle.generation, is: 2)
        },
        Rule("Where the store knows better what there is to go on with, an end is what it is to be then") { bench in
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
                    end.otherwise = AttemptEnd.Otherwise(hasHandle: false, .failed(failure))
                    let settlement = try bench.settle(end)
                    try require(name, ChangeSummary.Outcome(settlement), is: outcome)
                    try require(name, settlement.end.otherwise == nil)
                    try require(name, try bench.store.snapshot(of: attempt.request)?.phase, is: phase)
                    _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(9)))
                }
            }
        },
        Rule("An end that says so forgets the handle") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1))
            _ = try bench.remember("h", attempt)
            var end = attempt.postponed(until: 9)
            end.forgetsHandle = true
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            try require("what is remembered", try bench.handle(at: 9), is: nil)
        },
    ]

    /// The use of a handle by later attempts.
    static let goingOn: [Rule] = [
        Rule("A handle outlives a failure after which another attempt follows, a hold and an interruption") { bench in
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
        Rule("A flight of a dead process that remembers waits again, although it is to be held") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1, unknownOutcome: .hold))
            _ = try bench.remember("h", attempt)
            try require("the receipt", try bench.retire(attempt), is: .broken(flights: 1))
            let waiting = try bench.store.snapshot(of: attempt.request)?.waiting
            try require("why it waits", waiting, is: .unclaimed(ahead: 0))
            try require("what is remembered", try bench.handle(), is: "h")
        },
        Rule("A flight that is lost ten times in a row is held, handle or not, and goes on by it afterwards") { bench in
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
        Rule("A stream that is remembered goes on where it was, though it may not be begun anew") { bench in
            let first = try bench.startStream()
            _ = try bench.append(first, 0, ["an", "s"])
            _ = try bench.remember("h", first)
            try require("the receipt", try bench.retire(first), is: .broken(flights: 1))
            try require("the phase", try bench.store.snapshot(of: first.request)?.phase, is: .pending)
            let claimed = try bench.claimOne(try bench.register(2))
            let expected = RememberedWork(handle: Data("h".utf8), keptChunks: 2, keptBytes: 3)
            try require("the work", claimed.remembered, is: expected)
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
        Rule("Of a stream that is forgotten nothing is kept: it is begun anew, or fails") { bench in
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
        Rule("A stream of a dead process whose handle was forgotten fails, where it may not be begun anew") { bench in
            let attempt = try bench.startStream()
            _ = try bench.append(attempt, 0, ["part"])
            _ = try bench.remember("h", attempt)
            _ = try bench.forget(attempt)
            _ = try bench.retire(attempt)
            try require("the error", try bench.store.snapshot(of: attempt.request)?.error, is: .streamInterrupted)
        },
        Rule("What was kept of an earlier generation is not what follows goes on with") { bench in
            let first = try bench.startStream(StreamingPolicy(allowsRestart: true))
            _ = try bench.append(first, 0, ["old"])
            _ = try bench.retire(first)
            let second = try bench.startNext(try bench.register(2))
            _ = try bench.remember("h", second)
            _ = try bench.retire(second)
            let claimed = try bench.claimOne(try bench.register(3))
            try require("the work", claimed.remembered, is: RememberedWork(handle: Data("h".utf8)))
            let third = try bench.start(claimed)
            try require("the generation", third.lifecycle.generation, is: 2)
            try require("what it yields", try bench.append(third, 0, ["new"]), is: .done)
        },
        Rule("A late answer of an attempt that remembered completes the flight, and nothing goes on") { bench in
            let attempt = try bench.startNext(submitting: StoreWorkbench.submission(1, unknownOutcome: .hold))
            _ = try bench.remember("h", attempt)
            _ = try bench.retire(attempt)
            try require("the receipt", try bench.write(.settle(attempt.completed())), is: .done)
            try require("to claim", try bench.claim(try bench.register(2), limit: 9).count, is: 0)
        },
    ]
}

extension StoreWorkbench {
    /// Submits a request, and journals an attempt by a separate process.
    func startNext(submitting submission: Submission) throws -> RunningAttempt {
        try submit(submission)
        return try startNext(try register())
    }

    /// Stores a handle of an attempt.
    package func remember(_ handle: Data, _ attempt: RunningAttempt) throws -> WriteReceipt {
        try write(
            .remember(AttemptMemory(flight: attempt.flight, token: attempt.lifecycle.token, handle: handle)))
    }

    func remember(_ handle: String, _ attempt: RunningAttempt) throws -> WriteReceipt {
        try remember(Data(handle.utf8), attempt)
    }

    /// Removes the handle of an attempt.
    func forget(_ attempt: RunningAttempt) throws -> WriteReceipt {
        try write(.remember(AttemptMemory(flight: attempt.flight, token: attempt.lifecycle.token, handle: nil)))
    }

    /// Returns the handle of the flight that is claimed next.
    func handle(at seconds: Int = 0) throws -> String? {
        try claimOne(try register(9), at: seconds).remembered.map { String(decoding: $0.handle, as: UTF8.self) }
    }
}

extension RunningAttempt {
    /// Returns its end when its process stopped it.
    fileprivate func interrupted() -> AttemptEnd { end(.interrupted, billing: .maybeBilled) }
}
