import Foundation
package import Hablare

extension StoreContract {
    static let streams: [Rule] = [
        Rule("Chunks are read as they were journalled, from any number, in pages of a limited size") { bench in
            let attempt = try bench.startStream()
            for (first, chunks) in [(0, ["a", "bb"]), (2, ["", "cccc"]), (4, ["ü"])] {
                try require("the receipt", try bench.append(attempt, first, chunks), is: .done)
            }
            let all = ["a", "bb", "", "cccc", "ü"]
            for number in 0...5 {
                let page = try bench.page(of: attempt, from: number)
                try require("the page from \(number)", page.chunks.map(\.text), is: Array(all.dropFirst(number)))
                try require("the numbers", page.chunks.map(\.position.sequence), is: Array(number..<5))
                try require("the generation", page.generation, is: 1)
            }
            try require("beyond the end", try bench.page(of: attempt, from: 99).chunks, is: [])
            try require("one at least", try bench.page(of: attempt, from: 1, bytes: 0).chunks.map(\.text), is: ["bb"])
            try require(
                "over a group's end", try bench.page(of: attempt, from: 1, bytes: 3).chunks.map(\.text),
                is: ["bb", "", "cccc"])
            try require("the phase", try bench.page(of: attempt, from: 0).phase, is: .executing)
        },
        Rule("A page does not exceed its maximum number of chunks") { bench in
            let attempt = try bench.startStream()
            for first in [0, 700, 1400] {
                _ = try bench.append(attempt, first, (0..<700).map { "\(first + $0)" })
            }
            let page = try bench.page(of: attempt, from: 650)
            try require("the count", page.chunks.count, is: StreamPage.maximumChunks)
            try require("the last", page.chunks.last?.text, is: "1673")
        },
        Rule("Chunks of a stale owner, of another generation or with a gap are refused") { bench in
            let attempt = try bench.startStream()
            try require("the first", try bench.append(attempt, 0, ["a"]), is: .done)
            try require("with a gap", try bench.append(attempt, 2, ["c"]), is: .refused(.outOfOrder))
            let life = attempt.lifecycle
            for (token, generation) in [(life.token - 1, life.generation), (life.token, life.generation + 1)] {
                let group = ChunkGroup(
                    flight: attempt.flight, token: token, generation: generation, first: 1, chunks: [Data("b".utf8)])
                try require("the receipt", try bench.write(.append(group)), is: .refused(.staleToken))
            }
            let unknown = ChunkGroup(
                flight: FlightID(rawValue: 4711), token: 1, generation: 1, first: 0, chunks: [Data("b".utf8)])
            try require("of no flight", try bench.write(.append(unknown)), is: .refused(.staleToken))
            try require("the chunks", try bench.page(of: attempt, from: 0).chunks.map(\.text), is: ["a"])
            _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(3)))
            try require("after the end", try bench.append(attempt, 1, ["b"]), is: .refused(.settled(.cancelled)))
        },
        Rule("Chunks repeated after a commit of unknown outcome are not added twice, and the ones after them are added")
        {
            bench in
            let attempt = try bench.startStream()
            for (first, chunks) in [(0, ["a", "bb"]), (0, ["a", "bb"]), (1, ["bb", "c"])] {
                try require("the receipt", try bench.append(attempt, first, chunks), is: .done)
            }
            try require("the chunks", try bench.page(of: attempt, from: 0).chunks.map(\.text), is: ["a", "bb", "c"])
            var end = attempt.completed(.text("abbcd"))
            end.isStreaming = true
            end.remainingChunks = bench.chunks(of: attempt, 2, ["c", "d"])
            try require("the end", try bench.write(.settle(end)), is: .done)
            let page = try bench.page(of: attempt, from: 0)
            try require("all chunks", page.chunks.map(\.text), is: ["a", "bb", "c", "d"])
        },
        Rule("An end adds only the missing chunks of its attempt") { bench in
            let attempt = try bench.startStream()
            _ = try bench.append(attempt, 0, ["an"])
            var end = attempt.completed()
            end.isStreaming = true
            end.remainingChunks = bench.chunks(of: attempt, 1, ["s", "wer"])
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            try require("again", try bench.write(.settle(end)), is: .refused(.settled(.completed)))
            let page = try bench.page(of: attempt, from: 0)
            try require("the chunks", page.chunks.map(\.text), is: ["an", "s", "wer"])
            try require("in one piece", page.isWhole, is: false)
        },
        Rule("The chunks recorded with a failure can be read") { bench in
            let attempt = try bench.startStream()
            _ = try bench.append(attempt, 0, ["a"])
            var end = attempt.failed(StoreWorkbench.overloaded)
            end.isStreaming = true
            end.remainingChunks = bench.chunks(of: attempt, 1, ["b"])
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            try require("the chunks", try bench.page(of: attempt, from: 0).chunks.map(\.text), is: ["a", "b"])
        },
        Rule("A late answer that completes its flight adds its chunks") { bench in
            let late = try bench.startStream()
            _ = try bench.retire(late)
            var end = late.completed()
            end.isStreaming = true
            end.remainingChunks = bench.chunks(of: late, 0, ["an", "swer"])
            try require("refused by itself", try bench.append(late, 0, ["an"]), is: .refused(.staleToken))
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            let page = try bench.page(of: late, from: 0)
            try require("the chunks", page.chunks.map(\.text), is: ["an", "swer"])
            try require("in one piece", page.isWhole, is: false)
        },
        Rule("A completed stream keeps its chunks, and they add up to the response") { bench in
            let attempt = try bench.startStream()
            _ = try bench.append(attempt, 0, ["an", "s"])
            _ = try bench.append(attempt, 2, ["wer"])
            var end = attempt.completed()
            end.isStreaming = true
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            let page = try bench.page(of: attempt, from: 0)
            try require("the chunks", page.chunks.map(\.text), is: ["an", "s", "wer"])
            try require("the phase", page.phase, is: .completed)
            try require("in one piece", page.isWhole, is: false)
            try require("from a number on", try bench.page(of: attempt, from: 2).chunks.map(\.text), is: ["wer"])
            try require("the response", try bench.store.response(of: attempt.request), is: attempt.response())
            _ = try bench.write(.evict(attempt.request))
            try require("once it is given up", try bench.page(of: attempt, from: 0).chunks, is: [])
        },
        Rule("An answer without chunks is read as one chunk") { bench in
            let attempt = try bench.startStream()
            var end = attempt.completed()
            end.isStreaming = true
            _ = try bench.write(.settle(end))
            let page = try bench.page(of: attempt, from: 0)
            try require("in one piece", page.isWhole, is: true)
            try require("the generation", page.generation, is: 1)
            try require("the chunks", page.chunks, is: [])
        },
        Rule("Chunks of a failed or cancelled request stay readable until it is deleted") { bench in
            let attempt = try bench.startStream()
            _ = try bench.append(attempt, 0, ["part"])
            _ = try bench.write(.settle(attempt.failed(StoreWorkbench.failure)))
            try require("the chunks", try bench.page(of: attempt, from: 0).chunks.map(\.text), is: ["part"])
            try require("the phase", try bench.page(of: attempt, from: 0).phase, is: .failed)
            _ = try bench.write(.delete(attempt.request, at: StoreWorkbench.date(9)))
            try require(
                "the page", try bench.store.stream(of: attempt.request, from: .start, maximumBytes: 9), is: nil)
        },
        Rule("A stream whose process died fails if it may not restart") { bench in
            let attempt = try bench.startStream()
            _ = try bench.append(attempt, 0, ["part"])
            try require("the receipt", try bench.retire(attempt), is: .broken(flights: 1))
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the phase", snapshot?.phase, is: .failed)
            try require("the error", snapshot?.error, is: .streamInterrupted)
            try require("the end", snapshot?.finishedAt, is: StoreWorkbench.date(40))
            try require("the chunks", try bench.page(of: attempt, from: 0).chunks.map(\.text), is: ["part"])
            try require(
                "the ledger", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.lost, .maybeBilled, at: 40)])
            try require("a late chunk", try bench.append(attempt, 1, ["x"]), is: .refused(.settled(.failed)))
            let late = try bench.write(.settle(attempt.completed()))
            try require("a late answer", late, is: .refused(.settled(.failed)))
        },
        Rule("A stream whose process died before its first chunk is claimed by another process") { bench in
            let attempt = try bench.startStream()
            _ = try bench.retire(attempt)
            try require("the phase", try bench.store.snapshot(of: attempt.request)?.phase, is: .pending)
        },
        Rule("A stream whose process died is held if its policy is hold") { bench in
            let attempt = try bench.startStream(unknownOutcome: .hold)
            _ = try bench.append(attempt, 0, ["part"])
            _ = try bench.retire(attempt)
            try require("why it waits", try bench.store.snapshot(of: attempt.request)?.waiting, is: .held)
        },
        Rule("A stream that may restart restarts, and its first new chunk replaces the old chunks") { bench in
            let first = try bench.startStream(StreamingPolicy(allowsRestart: true))
            _ = try bench.append(first, 0, ["old", "er"])
            _ = try bench.retire(first)
            try require("the phase", try bench.store.snapshot(of: first.request)?.phase, is: .pending)
            let second = try bench.startNext(try bench.register(2))
            try require("the old ones", try bench.page(of: first, from: 0).chunks.map(\.text), is: ["old", "er"])
            try require("of the stale owner", try bench.append(first, 2, ["est"]), is: .refused(.staleToken))
            try require("the new one", try bench.append(second, 0, ["new"]), is: .done)
            let page = try bench.page(of: second, from: 1)
            try require("the generation", page.generation, is: 2)
            try require("for a reader of the old one", page.chunks.map(\.text), is: ["new"])
            let ahead = try bench.store.stream(
                of: second.request, from: StreamPosition(generation: 3, sequence: 0), maximumBytes: 9)
            try require("for a reader from nowhere", ahead?.chunks, is: [])
        },
        Rule("An answer without chunks replaces the chunks of an earlier attempt") { bench in
            let first = try bench.startStream(StreamingPolicy(allowsRestart: true))
            _ = try bench.append(first, 0, ["old"])
            _ = try bench.retire(first)
            let second = try bench.startNext(try bench.register(2))
            var end = second.completed()
            end.isStreaming = true
            _ = try bench.write(.settle(end))
            let page = try bench.page(of: second, from: 0)
            try require("in one piece", page.isWhole, is: true)
            try require("the generation", page.generation, is: 2)
        },
        Rule("The streaming policy of a request is read as it was submitted") { bench in
            for (number, durability) in StreamingPolicy.Durability.allCases.enumerated() {
                for allowsRestart in [false, true] {
                    let id = StoreWorkbench.id(number * 2 + (allowsRestart ? 1 : 0))
                    let policy = StreamingPolicy(durability: durability, allowsRestart: allowsRestart)
                    try bench.submit(
                        try StoreWorkbench.submission(of: AIRequest(id: id, prompt: "p", streaming: policy)))
                    try require("the policy", try bench.store.request(of: id)?.request.streaming, is: policy)
                }
            }
        },
        Rule("An unknown request has no stream") { bench in
            try require(
                "the page", try bench.store.stream(of: StoreWorkbench.id(7), from: .start, maximumBytes: 1), is: nil)
        },
    ]
}

extension StoreWorkbench {
    /// Submits a streaming request, and starts an attempt.
    package func startStream(
        _ policy: StreamingPolicy = StreamingPolicy(), unknownOutcome: UnknownOutcomePolicy = .runAgain
    ) throws -> RunningAttempt {
        let owner = try register()
        let request = AIRequest(id: Self.id(1), prompt: "p", unknownOutcome: unknownOutcome, streaming: policy)
        try submit(try Self.submission(of: request))
        return try startNext(owner)
    }

    /// Adds chunks to the output of an attempt.
    package func append(_ attempt: RunningAttempt, _ first: Int, _ chunks: [String]) throws -> WriteReceipt {
        try write(.append(self.chunks(of: attempt, first, chunks)))
    }

    /// Returns chunks for the output of an attempt.
    func chunks(of attempt: RunningAttempt, _ first: Int, _ chunks: [String]) -> ChunkGroup {
        ChunkGroup(
            flight: attempt.flight, token: attempt.lifecycle.token, generation: attempt.lifecycle.generation,
            first: first, chunks: chunks.map { Data($0.utf8) })
    }

    /// Retires the process that runs an attempt.
    func retire(_ attempt: RunningAttempt) throws -> WriteReceipt {
        let owner = try require("the attempt's owner", attempt.lifecycle.owner)
        return try write(.retireOwner(owner, at: Self.date(40)))
    }

    /// Returns a page of an attempt's output, for a reader in the first generation. The page begins at a chunk number.
    func page(of attempt: RunningAttempt, from sequence: Int, bytes: Int = 1 << 20) throws -> StreamPage {
        try require(
            "a page",
            try store.stream(
                of: attempt.request, from: StreamPosition(generation: 1, sequence: sequence), maximumBytes: bytes))
    }
}
