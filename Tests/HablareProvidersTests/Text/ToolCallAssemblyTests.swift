import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite struct ToolCallAssemblyTests {
    private typealias Piece = (index: Int64?, id: String?, name: String?, arguments: ParameterValue?)

    private func calls(_ pieces: [Piece]) -> [ToolCall]? {
        var assembly = ToolCallAssembly()
        var budget = AnswerBudget()
        for piece in pieces {
            #expect(throws: Never.self) {
                try assembly.take(
                    index: piece.index, id: piece.id, name: piece.name, arguments: piece.arguments, within: &budget)
            }
        }
        return assembly.calls()
    }

    private static let weather: [Piece] = [
        (0, "a", "weather", nil), (0, nil, nil, #"{"city":"#), (0, nil, nil, #""Oslo"}"#),
    ]
    private static let time: [Piece] = [(1, "b", "time", nil), (1, nil, nil, #"{"zone":"#), (1, nil, nil, #""CET"}"#)]
    private static let expected = [
        ToolCall(id: "a", name: "weather", arguments: ["city": "Oslo"]),
        ToolCall(id: "b", name: "time", arguments: ["zone": "CET"]),
    ]

    @Test("Pieces of two calls may be interleaved in any way")
    func interleaved() {
        // Every choice of three of the six positions for the first call.
        for choice in 0..<64 where choice.nonzeroBitCount == 3 {
            var first = Self.weather[...]
            var second = Self.time[...]
            var pieces: [Piece] = []
            for place in 0..<6 {
                let piece = choice >> place & 1 == 1 ? first.popFirst() : second.popFirst()
                if let piece { pieces.append(piece) }
            }
            #expect(calls(pieces) == Self.expected)
        }
    }

    @Test("Id and name may follow the arguments")
    func late() {
        #expect(
            calls([(0, nil, nil, #"{"city":"Oslo"}"#), (0, nil, "weather", nil), (0, "a", nil, nil)])
                == [Self.expected[0]])
    }

    @Test("Calls without an index, or with equal indices, are distinguished by their ids")
    func withoutIndex() {
        for index in [nil, 0] as [Int64?] {
            #expect(
                calls([(index, "a", "weather", #"{"city":"Oslo"}"#), (index, "b", "time", #"{"zone":"CET"}"#)])
                    == Self.expected)
            #expect(
                calls([
                    (index, "a", "weather", nil), (index, nil, nil, #"{"city":"Oslo"}"#), (index, "b", "time", nil),
                    (index, nil, nil, #"{"zone":"CET"}"#),
                ]) == Self.expected)
            #expect(
                calls([
                    (index, "a", "weather", #"{"city":"#), (index, "b", "time", #"{"zone":"#),
                    (index, "a", "weather", #""Oslo"}"#), (index, "b", "time", #""CET"}"#),
                ]) == Self.expected)
        }
    }

    @Test("Arguments may be an object, missing ones are an empty object, and a missing id is generated")
    func forms() {
        #expect(calls([(0, "a", "weather", ["city": "Oslo"])]) == [Self.expected[0]])
        #expect(calls([(0, "a", "weather", nil)]) == [ToolCall(id: "a", name: "weather", arguments: [:])])
        #expect(
            calls([(0, nil, "one", ""), (1, "", "two", .null)])
                == [
                    ToolCall(id: "call_0", name: "one", arguments: [:]),
                    ToolCall(id: "call_1", name: "two", arguments: [:]),
                ])
        #expect(calls([])?.isEmpty == true)
    }

    @Test("A call without a name, or with incomplete arguments, is invalid")
    func broken() {
        #expect(calls([(0, "a", nil, "{}")]) == nil)
        #expect(calls([(0, "a", "weather", #"{"city":"Os"#)]) == nil)
    }

    @Test("If a name occurs twice in arguments, the last value counts")
    func nameTwice() {
        #expect(
            calls([(0, "a", "weather", #"{"city":"Rome","city":"Oslo"}"#), (1, "b", "time", #"{"zone":"CET"}"#)])
                == Self.expected)
    }

    @Test("The last call of a cut answer is omitted if it is incomplete or has no arguments")
    func cut() throws {
        func calls(_ arguments: [String]) throws -> [String]? {
            var assembly = ToolCallAssembly()
            var budget = AnswerBudget()
            for (index, text) in arguments.enumerated() {
                try assembly.take(
                    index: Int64(index), id: "\(index)", name: "f", arguments: .string(text), within: &budget)
            }
            return assembly.calls(areCut: true)?.map(\.id)
        }
        #expect(try calls([]) == [])
        #expect(try calls(["{}", "{}"]) == ["0", "1"])
        for cut in ["{", #"{"a":"#, "", " "] { #expect(try calls(["{}", cut]) == ["0"]) }
        #expect(try calls(["{", "{}"]) == nil)
        #expect(try calls(["{", "{"]) == nil)
        #expect(try calls(["", "{}"]) == ["0", "1"])
    }

    @Test("Arguments, names, ids and the overhead of a call are charged to the budget")
    func bounded() {
        let text = String(repeating: "x", count: 1000)
        let pieces: [(Int) -> Piece] = [
            { _ in (0, nil, nil, .string(text)) }, { (Int64($0), nil, text, nil) }, { (Int64($0), text, nil, nil) },
        ]
        for piece in pieces {
            var assembly = ToolCallAssembly()
            var budget = AnswerBudget(limit: 10_500)
            var taken = 0
            #expect(throws: TextFault.tooLarge(limit: 10_500)) {
                while taken < 100 {
                    let piece = piece(taken)
                    try assembly.take(
                        index: piece.index, id: piece.id, name: piece.name, arguments: piece.arguments, within: &budget)
                    taken += 1
                }
            }
            #expect((8...10).contains(taken))
        }
    }

    @Test("The number of calls is limited")
    func numberOfCalls() {
        var assembly = ToolCallAssembly()
        var budget = AnswerBudget()
        #expect(throws: TextFault.malformed("tool calls without an end")) {
            for index in Int64(0)..<5000 {
                try assembly.take(index: index, id: nil, name: nil, arguments: nil, within: &budget)
            }
        }
        #expect(assembly.drafted().count == 4096)
    }
}
