import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about the elements that stream readers receive.
    static let streams: [RuleCase] = [
        RuleCase(StreamsAreTrue.self, "but its position is 1.1") { trace, isGuilty in
            let (reader, call) = trace.streams(3)
            trace.tells(reader, call, 0)
            trace.tells(reader, call, isGuilty ? 2 : 1)
        },
        RuleCase(StreamsAreTrue.self, "received generation 2 of request 0") { trace, isGuilty in
            let (reader, call) = trace.streams(1, mayRestart: !isGuilty)
            trace.tells(reader, call, 0)
            trace.happens(.streamRestarted(reader, generation: 2), in: 0)
        },
        RuleCase(StreamsAreTrue.self, "belongs to no call") { trace, isGuilty in
            let (reader, call) = trace.streams(1)
            trace.tells(reader, isGuilty ? call + 1 : call, 0)
        },
        RuleCase(StreamsAreTrue.self, "was yielded after the end of its call") { trace, isGuilty in
            let (reader, call) = trace.streams(1)
            trace.tells(reader, call, isGuilty ? SimulationNames.latePiece : 0)
        },
        RuleCase(StreamsAreTrue.self, "differs from the chunk that call 0 yielded") { trace, isGuilty in
            let (reader, call) = trace.streams(isGuilty ? 0 : 1)
            trace.tells(reader, call, 0)
            if isGuilty { trace.yields(call, 0) }
        },
        RuleCase(StreamsAreTrue.self, "has another generation than its call") { trace, isGuilty in
            let (reader, call) = trace.streams(1)
            trace.tells(reader, call, 0, generation: isGuilty ? 2 : 1)
        },
        RuleCase(StreamsAreTrue.self, "was delivered before it was on disk") { trace, isGuilty in
            let (reader, call) = trace.streams(1)
            trace.tells(reader, call, 0, isOnDisk: !isGuilty)
        },
        RuleCase(StreamsAreTrue.self, "received the end after 1 of 2 chunks") { trace, isGuilty in
            let (reader, call) = trace.streams(2)
            trace.tells(reader, call, 0)
            if !isGuilty { trace.tells(reader, call, 1) }
            trace.answers(call)
            trace.returned(reader, .completed(call: call))
        },
        RuleCase(StreamsAreTrue.self, "did not receive a chunk that another reader had received") { trace, isGuilty in
            let (first, call) = trace.streams(2)
            for piece in Int32(0)..<2 { trace.tells(first, call, piece) }
            let second = trace.read(0)
            trace.tells(second, call, 0)
            if !isGuilty { trace.tells(second, call, 1) }
            trace.returned(second, .cancelled)
        },
        RuleCase(StreamsAreTrue.self, "a chunk that call 0 yielded after its end was accepted") { trace, isGuilty in
            let (_, call) = trace.streams(1)
            trace.answers(call)
            trace.happens(.yieldedLate(call: call, isRefused: !isGuilty), in: 0)
        },
    ]
}

extension TraceDraft {
    /// Streams a request with a reader, and with a call that has yielded this number of pieces.
    fileprivate mutating func streams(_ pieces: Int32, mayRestart: Bool = false) -> (reader: Int32, call: Int32) {
        plan.requests[0].streaming = StreamingPolicy(allowsRestart: mayRestart)
        submit(0)
        let reader = read(0)
        let call = call(0)
        for piece in 0..<pieces { yields(call, piece) }
        return (reader, call)
    }
}
