import Foundation
import Hablare

/// Rules about answers that arrived but could not be used. The store keeps such an answer until the request is
/// answered.
extension StoreContract {
    private static let page = "<html>Log in</html>"

    /// Returns the end of an attempt that failed with an unusable answer.
    private static func unusable(
        _ attempt: RunningAttempt, _ content: ResponseContent = .data(Body(page))
    ) -> AttemptEnd {
        var end = attempt.failed(AIServiceError(.invalidResponse, "It is a page."))
        end.kept = AIResponseData(
            requestID: attempt.request, providerID: "p", result: .success(content),
            metadata: ["media_type": "text/html"], receivedAt: StoreWorkbench.date(2))
        return end
    }

    static let keptAnswers: [Rule] = [
        Rule("An answer that could not be used is kept with the failed request, and is not its response") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            try bench.settle(unusable(attempt))
            let kept = try require("the kept answer", try bench.store.keptAnswer(of: attempt.request))
            try require("its content", try kept.content, is: .data(Body(page)))
            try require("its type", kept.metadata["media_type"], is: "text/html")
            try require("the response", try bench.store.response(of: attempt.request), is: nil)
            try require("the phase", try bench.store.snapshot(of: attempt.request)?.phase, is: .failed)
        },
        Rule("A request without such an answer keeps none, whatever its end") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.finishNext(owner)
            try require("of a completed one", try bench.store.keptAnswer(of: attempt.request), is: nil)
            try bench.submit(2)
            let other = try bench.finishNext(owner, failing: StoreWorkbench.failure)
            try require("of a failed one", try bench.store.keptAnswer(of: other.request), is: nil)
            try require("of an unknown one", try bench.store.keptAnswer(of: StoreWorkbench.id(9)), is: nil)
        },
        Rule("The answer of a later attempt replaces a kept one") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.settle(unusable(try bench.startNext(owner)))
            let id = StoreWorkbench.id(1)
            try require("the retry", try bench.write(.retry(id, at: StoreWorkbench.date(5))), is: .done)
            try require("while it is retried", try bench.store.keptAnswer(of: id) != nil, is: true)
            let second = try bench.startNext(owner, at: 6)
            try bench.settle(unusable(second, .data("another page")))
            let kept = try require("the newer", try bench.store.keptAnswer(of: id))
            try require("the newer content", try kept.content, is: .data("another page"))
            try require("the retry", try bench.write(.retry(id, at: StoreWorkbench.date(8))), is: .done)
            let third = try bench.startNext(owner, at: 9)
            try bench.settle(third.completed(.text("an answer")))
            try require("the response", try bench.store.response(of: id)?.content, is: .text("an answer"))
            try require("the kept answer", try bench.store.keptAnswer(of: id), is: nil)
        },
        Rule("A cancelled request keeps no answer that comes too late") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(2)))
            _ = try bench.write(.settle(unusable(attempt)))
            try require("the kept answer", try bench.store.keptAnswer(of: attempt.request), is: nil)
        },
        Rule("A kept answer is pruned like a response, and deleted with its request") { bench in
            let owner = try bench.register()
            for number in 1...2 {
                try bench.submit(number)
                try bench.settle(unusable(try bench.startNext(owner)))
            }
            let pruned = try bench.prune(
                through: PrunePlan.Position(
                    receivedAt: StoreWorkbench.date(2), flight: FlightID(rawValue: .max)), limit: 1)
            try require("the number of pruned answers", pruned.count, is: 1)
            try require("their bytes", pruned.bytes, is: Int64(page.utf8.count))
            let ids = [StoreWorkbench.id(1), StoreWorkbench.id(2)]
            let left = try ids.filter { id in
                if case .success? = try bench.store.keptAnswer(of: id)?.result { true } else { false }
            }
            try require("the number of kept answers", left.count, is: 1)
            for id in ids { _ = try bench.write(.delete(id, at: StoreWorkbench.date(9))) }
            for id in ids { try require("after deleting", try bench.store.keptAnswer(of: id), is: nil) }
        },
    ]
}
