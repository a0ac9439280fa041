import Hablare
import HablareTestKit
import Testing

@testable import HablareProviders

/// The machine that decides which texts share a call.
@Suite struct EmbeddingBatchesTests {
    private typealias Action = EmbeddingBatches.Action

    private static func machine(
        texts: Int = 4, tokens: Int64 = 1000, calls: Int = 2, pace: CallPace = CallPace()
    ) -> EmbeddingBatches {
        EmbeddingBatches(EmbeddingBatches.Limits(texts: texts, tokens: tokens, calls: calls), pace: pace)
    }

    /// Lets texts arrive at a time, and returns all actions.
    private func arrive(
        _ tickets: [Int], _ batches: inout EmbeddingBatches, tokens: Int64 = 1, in group: ParameterValue = "g",
        at now: Duration = .zero
    ) -> [Action] {
        tickets.flatMap { batches.arrived($0, tokens: tokens, in: group, now: now) }
    }

    @Test("A single text waits 10 ms, and several wait 50 ms for another one")
    func quiet() {
        var batches = Self.machine()
        #expect(arrive([1], &batches) == [.wake(at: .milliseconds(10))])
        #expect(arrive([2], &batches, at: .milliseconds(5)) == [])
        #expect(batches.timePassed(now: .milliseconds(10)) == [.wake(at: .milliseconds(55))])
        #expect(batches.timePassed(now: .milliseconds(55)) == [.send(call: 1, [1, 2])])
        var alone = Self.machine()
        _ = arrive([1], &alone)
        #expect(alone.timePassed(now: .milliseconds(10)) == [.send(call: 1, [1])])
    }

    @Test("A call that is full by texts or by tokens is sent at once")
    func full() {
        var batches = Self.machine()
        #expect(arrive([1, 2, 3, 4, 5], &batches).contains(.send(call: 1, [1, 2, 3, 4])))
        var heavy = Self.machine()
        #expect(arrive([1, 2, 3], &heavy, tokens: 400).contains(.send(call: 1, [1, 2])))
        var huge = Self.machine()
        #expect(arrive([1], &huge, tokens: 5000) == [.send(call: 1, [1])])
    }

    @Test("Texts that keep coming are sent after a second")
    func longestWait() {
        var batches = Self.machine(texts: 1000)
        var sent: Duration?
        for step in 0..<60 where sent == nil {
            let now = Duration.milliseconds(step * 20)
            var actions = arrive([step], &batches, at: now)
            actions += batches.timePassed(now: now)
            if actions.contains(where: { if case .send = $0 { true } else { false } }) { sent = now }
        }
        #expect(sent == .seconds(1))
    }

    @Test("Texts wait while all calls are under way, and then share one")
    func waiting() {
        var batches = Self.machine(calls: 1)
        #expect(arrive([1, 2, 3, 4, 5, 6], &batches).contains(.send(call: 1, [1, 2, 3, 4])))
        #expect(batches.timePassed(now: .seconds(5)) == [])
        #expect(batches.ended(1, .answered, now: .seconds(5)) == [.send(call: 2, [5, 6])])
    }

    @Test("Texts of different groups never share a call")
    func groups() {
        var batches = Self.machine()
        _ = arrive([1, 3], &batches, in: "a")
        _ = arrive([2], &batches, in: "b", at: .milliseconds(1))
        let actions = batches.timePassed(now: .seconds(1))
        #expect(Set(actions) == [.send(call: 1, [2]), .send(call: 2, [1, 3])])
    }

    @Test("Calls keep the pace, and a tenth of a minute's calls may be sent at once")
    func pace() {
        var batches = Self.machine(
            texts: 1, calls: 100, pace: CallPace(RateLimit(requestsPerMinute: 60, burst: 0.05)))
        var actions = arrive(Array(1...10), &batches)
        let atOnce = actions.filter { if case .send = $0 { true } else { false } }.count
        #expect(atOnce == 4)
        actions = batches.timePassed(now: .milliseconds(1000))
        #expect(actions.first == .send(call: 5, [5]))
        batches.learned(callsPerMinute: 6000)
        #expect(batches.timePassed(now: .milliseconds(1001)) == [.wake(at: .seconds(2))])
    }

    @Test("A cancelled text is not sent, and a call is stopped when all of its texts are cancelled")
    func cancellation() {
        var batches = Self.machine()
        _ = arrive([1, 2, 3], &batches)
        #expect(batches.cancelled(2, now: .zero).wasUnsent)
        #expect(batches.timePassed(now: .milliseconds(50)) == [.send(call: 1, [1, 3])])
        let first = batches.cancelled(1, now: .seconds(1))
        #expect(!first.wasUnsent && first.actions == [])
        #expect(batches.cancelled(3, now: .seconds(1)).actions == [.stop(call: 1)])
        #expect(batches.ended(1, .failed, now: .seconds(1)) == [])
        #expect(batches.cancelled(3, now: .seconds(2)).actions == [])
    }

    @Test("The failure of a call is the failure of all its texts")
    func failure() {
        var batches = Self.machine()
        _ = arrive([1, 2, 3, 4], &batches)
        #expect(batches.ended(1, .failed, now: .zero) == [.fail([1, 2, 3, 4])])
    }

    @Test("If the shortest text of a refused call is refused, too, all its texts fail")
    func commonCause() {
        var batches = Self.machine()
        _ = arrive([1, 2, 3], &batches, tokens: 9)
        _ = arrive([4], &batches, tokens: 2)
        #expect(batches.ended(1, .refused, now: .zero) == [.send(call: 2, [4])])
        #expect(batches.ended(2, .refused, now: .zero) == [.fail([4, 1, 2, 3])])
    }

    @Test("A text that was to be sent alone and is cancelled is replaced by another one")
    func cancelledProbe() {
        var batches = Self.machine()
        _ = arrive([1, 2, 3], &batches, tokens: 9)
        _ = arrive([4], &batches, tokens: 2)
        _ = batches.cancelled(4, now: .zero)
        #expect(batches.ended(1, .refused, now: .zero) == [.send(call: 2, [1])])
        #expect(batches.cancelled(1, now: .zero).actions == [.stop(call: 2)])
        #expect(batches.ended(2, .failed, now: .zero) == [.send(call: 3, [2, 3])])
    }

    @Test("One bad text among 2,048 costs at most two dozen further calls")
    func isolation() {
        for bad in [0, 1, 1000, 2046, 2047] {
            var batches = Self.machine(texts: 2048, tokens: 1_000_000, calls: 1)
            var pending: [Action] = []
            for ticket in 0..<2048 {
                pending += batches.arrived(ticket, tokens: ticket == bad ? 9 : 3, in: "g", now: .zero)
            }
            var calls = 0
            var failed: [Int] = []
            while let action = pending.popLast() {
                switch action {
                case .send(let call, let tickets):
                    calls += 1
                    pending += batches.ended(call, tickets.contains(bad) ? .refused : .answered, now: .zero)
                case .fail(let tickets): failed += tickets
                case .wake, .stop: break
                }
            }
            #expect(failed == [bad] && calls <= 25, "\(calls)")
        }
    }

    // MARK: Random histories

    @Test("In random histories each text ends once, and calls keep their limits", arguments: 0..<300 as Range<UInt64>)
    func histories(seed: UInt64) {
        var history = History(seed: seed)
        history.run()
        #expect(history.faults == [], "seed \(seed)")
    }

    /// A random history against a bookkeeper of its own.
    private struct History {
        var random: SeededGenerator
        var batches: EmbeddingBatches
        let texts: Int
        let tokens: Int64
        let calls: Int
        var now = Duration.zero
        /// The texts that have not ended: group, tokens and whether the service refuses it.
        var open: [Int: (group: Int, tokens: Int64, isBad: Bool)] = [:]
        var underWay: [Int: [Int]] = [:]
        var wakeAt: Duration?
        var last = 0
        var faults: [String] = []

        init(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            texts = Int.random(in: 1...9, using: &random)
            tokens = Int64.random(in: 5...60, using: &random)
            calls = Int.random(in: 1...3, using: &random)
            batches = EmbeddingBatches(EmbeddingBatches.Limits(texts: texts, tokens: tokens, calls: calls))
            self.random = random
        }

        mutating func run() {
            for _ in 0..<200 { step() }
            var steps = 0
            while !open.isEmpty, steps < 2000 {
                steps += 1
                if let call = underWay.keys.min() {
                    end(call)
                } else if let wakeAt {
                    now = max(now, wakeAt)
                    self.wakeAt = nil
                    apply(batches.timePassed(now: now))
                } else {
                    return faults.append("texts wait for nothing: \(open.keys.sorted())")
                }
            }
            if !open.isEmpty { faults.append("texts never end") }
        }

        mutating func step() {
            now += .milliseconds(Int.random(in: 0...30, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                last += 1
                let isBad = Int.random(in: 0..<12, using: &random) == 0
                let size = isBad ? 9 : Int64.random(in: 1...8, using: &random)
                let group = Int.random(in: 0..<2, using: &random)
                open[last] = (group, size, isBad)
                apply(batches.arrived(last, tokens: size, in: .int(Int64(group)), now: now))
            case 5..<7: if let call = underWay.keys.sorted().randomElement(using: &random) { end(call) }
            case 7:
                guard let ticket = open.keys.sorted().randomElement(using: &random) else { return }
                open[ticket] = nil
                let isUnderWay = underWay.values.contains { $0.contains(ticket) }
                let (wasUnsent, actions) = batches.cancelled(ticket, now: now)
                if wasUnsent, isUnderWay { faults.append("\(ticket) was sent") }
                apply(actions)
            default:
                if let wakeAt, wakeAt <= now { self.wakeAt = nil }
                apply(batches.timePassed(now: now))
            }
        }

        mutating func end(_ call: Int) {
            guard let tickets = underWay.removeValue(forKey: call) else { return }
            let isRefused = tickets.contains { open[$0]?.isBad == true }
            if isRefused { return apply(batches.ended(call, .refused, now: now), refused: tickets) }
            if Int.random(in: 0..<15, using: &random) == 0 {
                return apply(batches.ended(call, .failed, now: now), mayFail: true)
            }
            for ticket in tickets { open[ticket] = nil }
            apply(batches.ended(call, .answered, now: now))
        }

        mutating func apply(_ actions: [Action], refused: [Int] = [], mayFail: Bool = false) {
            for action in actions {
                switch action {
                case .send(let call, let tickets): sent(call, tickets)
                case .stop(let call):
                    if underWay[call]?.contains(where: { open[$0] != nil }) == true { faults.append("\(call) stopped") }
                case .fail(let tickets):
                    for ticket in tickets {
                        guard let text = open.removeValue(forKey: ticket) else {
                            faults.append("\(ticket) ended twice")
                            continue
                        }
                        // A good text fails only with its call, or with a shortest text that was refused.
                        let isCommon = refused.count == 1 && tickets.count > 1
                        if !text.isBad, !mayFail, !isCommon { faults.append("\(ticket) failed") }
                    }
                case .wake(let time): wakeAt = time
                }
            }
        }

        mutating func sent(_ call: Int, _ tickets: [Int]) {
            let others = Set(underWay.values.flatMap(\.self))
            if !others.isDisjoint(with: tickets) { faults.append("a text is in two calls") }
            let known = tickets.compactMap { open[$0] }
            if known.count != tickets.count { faults.append("a text is sent after its end") }
            if Set(known.map(\.group)).count > 1 { faults.append("groups are mixed") }
            if tickets.isEmpty || tickets.count > texts { faults.append("\(tickets.count) texts") }
            if tickets.count > 1, known.reduce(0, { $0 + $1.tokens }) > tokens { faults.append("too many tokens") }
            underWay[call] = tickets
            if underWay.count > calls { faults.append("too many calls") }
        }
    }
}
