import Foundation
import Hablare
import Testing

@testable import HablareProviders

/// Whose turn it is to send a batch, to look at it, and to fetch its results.
@Suite struct BatchBoardTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let rules = BatchBoard.Rules(
        maximumRequests: 3, maximumBytes: 10, gathering: 30, firstPause: 10, longestPause: 30, turn: 1)

    private static func at(_ seconds: TimeInterval) -> Date { start.addingTimeInterval(seconds) }
    private static func entry(_ name: String, bytes: Int = 1) -> BatchBoard.Entry {
        BatchBoard.Entry(name: name, body: Data(count: bytes))
    }
    private static let answer = ProviderAnswer(.text(Body("x")))

    private func sent(_ step: BatchBoard.Gathering) -> (number: Int, names: [String])? {
        guard case .send(let number, let entries) = step else { return nil }
        return (number, entries.map(\.name))
    }

    private func wait(_ step: BatchBoard.Gathering) -> TimeInterval? {
        if case .wait(let time) = step { time } else { nil }
    }

    private func wait(_ step: BatchBoard.Following) -> TimeInterval? {
        if case .wait(let time) = step { time } else { nil }
    }

    @Test func `Requests gather for the time of the first, and one of them sends all`() throws {
        var board = BatchBoard(rules: Self.rules)
        board.entered(Self.entry("a"), now: Self.at(0))
        board.entered(Self.entry("b"), now: Self.at(20))
        #expect(wait(board.gathering("a", now: Self.at(20))) == 10)
        let turn = try #require(sent(board.gathering("b", now: Self.at(30))))
        #expect(turn.names == ["a", "b"])
        #expect(wait(board.gathering("a", now: Self.at(31))) == 1)
        // A request that comes now gathers for the next batch.
        board.entered(Self.entry("c"), now: Self.at(31))
        #expect(wait(board.gathering("c", now: Self.at(31))) == 30)
        board.sent(turn.number, .success("batch_1"))
        for name in ["a", "b"] {
            guard case .sent("batch_1") = board.gathering(name, now: Self.at(32)) else {
                Issue.record("\(name) does not know its batch")
                continue
            }
        }
        guard case .failed = board.gathering("a", now: Self.at(33)) else {
            Issue.record("a receives its result once")
            return
        }
    }

    @Test func `A batch is sent at once when it is full, by requests or by bytes`() throws {
        var board = BatchBoard(rules: Self.rules)
        for name in ["a", "b", "c"] { board.entered(Self.entry(name), now: Self.at(0)) }
        #expect(sent(board.gathering("c", now: Self.at(0)))?.names == ["a", "b", "c"])
        board.entered(Self.entry("d", bytes: 6), now: Self.at(0))
        board.entered(Self.entry("e", bytes: 6), now: Self.at(0))
        #expect(sent(board.gathering("d", now: Self.at(0)))?.names == ["d"])
        #expect(wait(board.gathering("e", now: Self.at(0))) == 30)
    }

    @Test func `A request that withdraws in time is not sent, and one that is too late is`() throws {
        var board = BatchBoard(rules: Self.rules)
        for name in ["a", "b"] { board.entered(Self.entry(name), now: Self.at(0)) }
        #expect(board.withdrew("a") == true)
        let turn = try #require(sent(board.gathering("b", now: Self.at(30))))
        #expect(turn.names == ["b"])
        #expect(board.withdrew("b") == false)
        board.sent(turn.number, .success("batch_1"))
        #expect(board.withdrew("b") == false)
        guard case .sent("batch_1") = board.gathering("b", now: Self.at(30)) else {
            Issue.record("It does not learn its batch")
            return
        }
        board.entered(Self.entry("c"), now: Self.at(40))
        #expect(board.withdrew("c") == true)
        board.entered(Self.entry("d"), now: Self.at(50))
        #expect(wait(board.gathering("d", now: Self.at(50))) == 30)
    }

    @Test func `A batch that is not accepted fails each of its requests`() throws {
        var board = BatchBoard(rules: Self.rules)
        for name in ["a", "b"] { board.entered(Self.entry(name), now: Self.at(0)) }
        let turn = try #require(sent(board.gathering("a", now: Self.at(30))))
        board.sent(turn.number, .failure(.expiredInBatch))
        for name in ["a", "b"] {
            guard case .failed(.expiredInBatch) = board.gathering(name, now: Self.at(31)) else {
                Issue.record("\(name) did not fail")
                continue
            }
        }
    }

    @Test func `One request looks for all, with growing pauses, and the results are shared`() throws {
        var board = BatchBoard(rules: Self.rules)
        for name in ["a", "b", "c"] { board.followed(name, in: "x", now: Self.at(0)) }
        guard case .look(let names) = board.following("a", in: "x", now: Self.at(0)) else {
            Issue.record("It is a's turn")
            return
        }
        #expect(names == ["a", "b", "c"])
        #expect(wait(board.following("b", in: "x", now: Self.at(0))) == 1)
        var now: TimeInterval = 0
        for pause in [10, 15, 22.5, 30, 30] as [TimeInterval] {
            board.looked(at: "x", now: Self.at(now))
            #expect(wait(board.following("b", in: "x", now: Self.at(now))) == pause)
            now += pause
            guard case .look = board.following("b", in: "x", now: Self.at(now)) else {
                Issue.record("It is b's turn")
                return
            }
        }
        board.followed("late", in: "x", now: Self.at(now))
        board.fetched(
            ["a": .success(Self.answer), "stranger": .success(Self.answer)], awaited: ["a", "b", "c"], of: "x",
            now: Self.at(now))
        guard case .result(.success) = board.following("a", in: "x", now: Self.at(now)),
            case .missing = board.following("b", in: "x", now: Self.at(now)),
            case .look(let late) = board.following("late", in: "x", now: Self.at(now))
        else {
            Issue.record("The results are not as they should be")
            return
        }
        #expect(late.contains("late") && !late.contains("a"))
        for name in ["a", "b", "late", "c"] { board.unfollowed(name, in: "x") }
        guard case .missing = board.following("c", in: "x", now: Self.at(now)) else {
            Issue.record("No request awaits the batch")
            return
        }
    }

    @Test func `A batch is cancelled by its sender, when none of its requests is wanted`() throws {
        var board = BatchBoard(rules: Self.rules)
        for name in ["a", "b"] { board.entered(Self.entry(name), now: Self.at(0)) }
        let turn = try #require(sent(board.gathering("a", now: Self.at(30))))
        board.sent(turn.number, .success("x"))
        for name in ["a", "b"] { board.followed(name, in: "x", now: Self.at(31)) }
        // A request whose wait ends, but which is still wanted, such as at a shutdown, keeps the batch.
        board.unfollowed("b", in: "x")
        #expect(["a", "b", "b"].map { board.gaveUp($0, in: "x") } == [false, true, false])
        // Another process sent this one, perhaps with requests of its own.
        board.followed("c", in: "y", now: Self.at(31))
        #expect([board.gaveUp("c", in: "y")] == [false])
    }

    @Test func `A look that was given up is made by the next that asks`() {
        var board = BatchBoard(rules: Self.rules)
        for name in ["a", "b"] { board.followed(name, in: "x", now: Self.at(0)) }
        _ = board.following("a", in: "x", now: Self.at(0))
        board.abandoned("x")
        guard case .look = board.following("b", in: "x", now: Self.at(0)) else {
            Issue.record("It is b's turn")
            return
        }
    }

    @Test("Each request that stays is sent exactly once, in any order of events", arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var board = BatchBoard(rules: Self.rules)
        var now: TimeInterval = 0
        var waiting: Set<String> = []
        var counts: [String: Int] = [:]
        var underWay: [Int] = []
        for step in 0..<300 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let name = "r\(step)"
                board.entered(Self.entry(name, bytes: .random(in: 1...8, using: &random)), now: Self.at(now))
                waiting.insert(name)
            case 2: now += .random(in: 0...20, using: &random)
            case 3:
                guard let name = waiting.sorted().randomElement(using: &random) else { continue }
                let isUnsent = board.withdrew(name)
                #expect(isUnsent == (counts[name] == nil), "seed \(seed)")
                if isUnsent { waiting.remove(name) }
            case 4:
                guard let name = waiting.sorted().randomElement(using: &random) else { continue }
                switch board.gathering(name, now: Self.at(now)) {
                case .send(let number, let entries):
                    #expect(entries.count <= 3 && entries.reduce(0) { $0 + $1.body.count } <= 10, "seed \(seed)")
                    for entry in entries { counts[entry.name, default: 0] += 1 }
                    underWay.append(number)
                case .sent, .failed: waiting.remove(name)
                case .wait(let time): #expect(time > 0, "seed \(seed)")
                }
            default:
                if let number = underWay.popLast() { board.sent(number, .success("b\(number)")) }
            }
        }
        #expect(counts.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        for number in underWay { board.sent(number, .success("b\(number)")) }
        for _ in 0..<2 {
            now += 1000
            for name in waiting.sorted() {
                switch board.gathering(name, now: Self.at(now)) {
                case .send(let number, let entries):
                    for entry in entries { counts[entry.name, default: 0] += 1 }
                    board.sent(number, .success("b\(number)"))
                case .sent: waiting.remove(name)
                case .failed: Issue.record("\(name) is lost, seed \(seed)")
                case .wait: continue
                }
            }
        }
        #expect(waiting.isEmpty && counts.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    }
}

/// Numbers that follow from a seed (SplitMix64).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
