import Hablare

/// The readers of a stream receive exactly the pieces that the provider yielded, in order. No piece is missing or
/// repeated. In a durable stream, a chunk is on disk before readers receive it. A stream restarts only if the request
/// allows restarts. A piece that a reader has received becomes invalid only by a restart.
enum StreamsAreTrue: SimulationRule {
    static let name = "streams are true"

    /// The pieces that a reader has received so far.
    private struct Progress {
        var generation: Int32 = 0
        var next: Int32
        var begin: Int32
    }

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        var readers: [Int32: Progress] = [:]
        let operations = Dictionary(
            history.operations.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        for (position, event) in history.events.enumerated() {
            switch event.what {
            case .operationCalled(let number):
                guard case .read(_, let from, _)? = operations[number]?.operation else { continue }
                readers[number] = Progress(next: from, begin: from)
            case .streamed(let number, let chunk):
                guard let request = operations[number]?.operation.request, var reader = readers[number] else {
                    continue
                }
                if reader.generation == 0 { reader.generation = chunk.generation }
                if chunk.generation != reader.generation || chunk.sequence != reader.next {
                    found.append(
                        "reader \(number) received \(chunk), but its position is \(reader.generation).\(reader.next)")
                }
                reader.next = chunk.sequence + 1
                readers[number] = reader
                check(chunk, of: request, at: position, in: history, &found)
            case .streamRestarted(let number, let generation):
                guard let request = operations[number]?.operation.request, let reader = readers[number] else {
                    continue
                }
                let story = history.requests[request]
                let isAllowed =
                    history.planned(request)?.streaming?.allowsRestart ?? true
                    || story?.isMurky ?? true || story?.retries.contains { $0.called < position } ?? true
                    || isTakenBack(number, of: request, at: position, history)
                if !isAllowed || generation <= reader.generation {
                    found.append("reader \(number) received generation \(generation) of request \(request)")
                }
                readers[number] = Progress(generation: generation, next: 0, begin: 0)
            case .operationReturned(let number, let result):
                guard let reader = readers[number] else { continue }
                ended(number, reader, result, in: history, &found)
            case .yieldedLate(let call, isRefused: false):
                found.append("a chunk that call \(call) yielded after its end was accepted")
            default: continue
            }
        }
        return found + takenBack(history, operations)
    }

    /// Returns whether the reader of a volatile stream may receive a restart even if the request does not allow
    /// restarts. This is the case if the process of the stream lost its leases before all chunks were on disk. The next
    /// process cannot know in this case that the stream had begun.
    private static func isTakenBack(
        _ number: Int32, of request: Int32, at position: Int, _ history: SimulationHistory
    ) -> Bool {
        guard history.planned(request)?.streaming?.durability == .volatile,
            let reader = history.operations.first(where: { $0.number == number })
        else { return false }
        return history.processes[Int(reader.process)].lostLeases(from: -1, to: position)
    }

    private static func check(
        _ chunk: StreamedChunk, of request: Int32, at position: Int, in history: SimulationHistory,
        _ found: inout [String]
    ) {
        guard history.calls.indices.contains(Int(chunk.call)) else {
            return found.append("\(chunk) of request \(request) belongs to no call")
        }
        let call = history.calls[Int(chunk.call)]
        if chunk.piece >= SimulationNames.latePiece {
            found.append("\(chunk) of request \(request) was yielded after the end of its call")
        }
        // An answer in one piece is delivered as one.
        let isWhole = call.yields.isEmpty || history.planned(request)?.streaming == nil
        let isYielded =
            call.yields.indices.contains(Int(chunk.sequence)) ? call.yields[Int(chunk.sequence)] < position : false
        if !history.company(of: request).contains(call.request) || chunk.piece != chunk.sequence
            || !(isYielded || isWhole)
        {
            found.append("\(chunk) of request \(request) differs from the chunk that call \(chunk.call) yielded")
        }
        // An attempt that gets a resume handle stays in the generation of the attempt before, even if it is never sent.
        let isResumed =
            history.requests[request]?.calls.contains { $0.handed != nil || $0.remembered != nil } ?? false
        let isOther = isResumed ? chunk.generation > call.attempt : chunk.generation != call.attempt
        if isOther, !(history.requests[request]?.isMurky ?? true) {
            found.append("\(chunk) of request \(request) has another generation than its call")
        }
        if !chunk.isOnDisk, history.planned(request)?.streaming?.durability == .durable, !isWhole {
            found.append("\(chunk) of request \(request) was delivered before it was on disk")
        }
    }

    private static func ended(
        _ number: Int32, _ reader: Progress, _ result: Observed, in history: SimulationHistory, _ found: inout [String]
    ) {
        guard case .completed(let call) = result, history.calls.indices.contains(Int(call)) else { return }
        let story = history.calls[Int(call)]
        let isStreaming = history.planned(story.request)?.streaming != nil
        let count = isStreaming ? max(1, Int32(story.yields.count)) : 1
        if reader.next != count, reader.begin <= count {
            found.append("reader \(number) received the end after \(reader.next) of \(count) chunks")
        }
    }

    /// Checks the chunks of durable streams. If one reader has received a chunk, every later reader that reads the
    /// output of the same call to its end must receive the chunk, too. Calls are compared, and not generations. If a
    /// UUID is deleted and submitted again, generations begin at 1 again.
    private static func takenBack(_ history: SimulationHistory, _ operations: [Int32: OperationStory]) -> [String] {
        var found: [String] = []
        var seen: [Int32: [Int32: Int32]] = [:]
        var reached: [Int32: (call: Int32, next: Int32, before: Int32)] = [:]
        for event in history.events {
            switch event.what {
            case .operationCalled(let number), .operationReturned(let number, _):
                // A prune may evict the chunks of a request that ended without an answer.
                guard case .prune? = operations[number]?.operation else { break }
                seen = [:]
                for reader in reached.keys { reached[reader]?.before = 0 }
            default: break
            }
            switch event.what {
            case .operationCalled(let number):
                guard case .read(_, let from, _)? = operations[number]?.operation else { continue }
                let request = operations[number]?.operation.request
                reached[number] = (-1, from, request.map { staying(seen[$0] ?? [:], of: $0, history) } ?? 0)
            case .streamed(let number, let chunk):
                guard let request = operations[number]?.operation.request,
                    history.planned(request)?.streaming?.durability == .durable
                else { continue }
                let before = reached[number]?.call == chunk.call ? reached[number]?.before : nil
                reached[number] = (chunk.call, chunk.sequence + 1, before ?? seen[request]?[chunk.call] ?? 0)
                let most = max(seen[request]?[chunk.call] ?? 0, chunk.sequence + 1)
                seen[request, default: [:]][chunk.call] = most
            case .operationReturned(let number, let result):
                guard let reader = reached[number] else { continue }
                switch result {
                case .failed, .cancelled:
                    if reader.next < reader.before {
                        found.append("reader \(number) did not receive a chunk that another reader had received")
                    }
                default: continue
                }
            default: continue
            }
        }
        return found
    }

    /// Returns the number of chunks that a reader without any chunk must have missed. These are the chunks that other
    /// readers received before, if no other call can have replaced the output.
    private static func staying(_ seen: [Int32: Int32], of request: Int32, _ history: SimulationHistory) -> Int32 {
        guard history.planned(request)?.streaming?.allowsRestart == false, let story = history.requests[request],
            !story.isMurky, story.retries.isEmpty
        else { return 0 }
        return seen.values.max() ?? 0
    }
}
