import Foundation
import Hablare
import HablareSpeech
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite struct NarrationPlanTests {
    private func plan(
        _ text: String = "One. Two.", source: String = "a", unit: TextSegmenter.Unit = .sentence,
        provider: ScriptedProvider = Voice.provider(), parameters: [String: ParameterValue] = ["voice": "en-us"]
    ) throws -> NarrationPlan {
        try NarrationPlan(text: Data(text.utf8), source: source, unit: unit, provider: provider, parameters: parameters)
    }

    @Test func `Everything that changes the audio changes the job`() throws {
        let keys = try [
            plan(), plan("One. Two!"), plan(unit: .line), plan(parameters: ["voice": "de"]), plan(parameters: [:]),
            plan(parameters: ["voice": "en-us", "rate": 1]), plan(parameters: ["voice": "en-us", "rate": "1"]),
            plan(provider: ScriptedProvider(id: "flite", responseType: .audio)),
            plan(
                provider: ScriptedProvider(
                    id: "espeak-ng", responseType: .audio, limits: ProviderLimits(maximumCharacters: 9))),
        ].map(\.job)
        #expect(Set(keys).count == keys.count)
    }

    @Test func `Other changes keep the job`() throws {
        #expect(try plan().job == plan(source: "b", provider: Voice.provider(concurrency: 9)).job)
    }

    @Test func `A request has the segment and its position`() throws {
        let request = try plan().request(1, id: UUID())
        #expect(request.prompt == "Two.")
        #expect(request.metadata == ["segment": "1", "bytes": "5-9", "source": "a"])
        #expect(request.parameters == ["voice": "en-us"])
    }

    @Test func `Twice the speed takes half the time`() throws {
        let normal = try plan().estimatedSeconds
        let fast = try plan(parameters: ["rate": 350]).estimatedSeconds
        #expect(normal > 0)
        #expect(abs(fast * 2 - normal) < 0.001)
        let quick = try plan(parameters: ["speed": 2.0]).estimatedSeconds
        #expect(abs(quick * 2 - normal) < 0.001)
    }

    @Test func `Many short sentences take longer than one of the same length`() throws {
        let short = try plan(String(repeating: "Yes it is. ", count: 40)).estimatedSeconds
        let long = try plan(String(repeating: "Yes it is, ", count: 39) + "Yes it is.").estimatedSeconds
        #expect(short - long > 39 * 0.3)
    }

    @Test func `The estimate does not depend on how many sentences a segment has`() throws {
        let text = String(repeating: "Yes it is. ", count: 40)
        let (sentences, whole) = try (plan(text), plan(text, unit: .paragraph))
        #expect(whole.segments.count == 1 && whole.pauses == 40)
        #expect(abs(sentences.estimatedSeconds - whole.estimatedSeconds) < 3)
    }

    @Test func `A text without words is refused`() {
        #expect { try plan("* * *") } throws: { ($0 as? CommandFailure)?.status == .badInput }
    }

    @Test func `No segment exceeds the provider's limit`() throws {
        let provider = ScriptedProvider(
            id: "espeak-ng", responseType: .audio, limits: ProviderLimits(maximumCharacters: 12))
        let plan = try plan("one two three four five six seven", provider: provider)
        #expect(plan.segments.allSatisfy { $0.text.unicodeScalars.count <= 12 })
        #expect(plan.segments.map(\.text).joined(separator: " ") == "one two three four five six seven")
    }

    @Test func `Different parameter values make different jobs`() throws {
        let values: [ParameterValue] = [
            "true", .bool(true), ["a": 1], ["a": 2], [1, 2], [2, 1], "1", 1, .double(1), .null,
        ]
        let keys = try values.map { try plan(parameters: ["extra": $0]).job }
        #expect(Set(keys).count == keys.count)
    }

    @Test func `A segment has limited context if the voice uses it`() throws {
        func requests(_ text: String, tellsContext: Bool) throws -> [AIRequest] {
            let plan = try NarrationPlan(
                text: Data(text.utf8), source: "a", unit: .line, provider: Voice.provider(), parameters: [:],
                tellsContext: tellsContext)
            return plan.segments.indices.map { plan.request($0, id: UUID()) }
        }
        #expect(try requests("One.\nTwo.", tellsContext: false).allSatisfy { $0.parameters.isEmpty })
        let two = try requests("One.\nTwo.", tellsContext: true).map(\.parameters)
        #expect(two == [["next_text": "Two."], ["previous_text": "One."]])
        let long = (1...300).map { "word\($0)" }.joined(separator: " ")
        let around = try requests("\(long)\nTwo.\n\(long)", tellsContext: true)[1].parameters
        let (before, after) = (around["previous_text"]?.text ?? "", around["next_text"]?.text ?? "")
        #expect(long.hasSuffix(before) && long.hasPrefix(after))
        #expect((450...NarrationPlan.mostContext).contains(before.count))
        #expect((450...NarrationPlan.mostContext).contains(after.count))
    }

    @Test func `A text that fits is one segment, unchanged`() throws {
        let text = "Dear whale,\n\nhow  are you?\nYours"
        #expect(try plan(text + "\n", unit: .text).segments.map(\.text) == [text])
        let provider = ScriptedProvider(
            id: "espeak-ng", responseType: .audio, limits: ProviderLimits(maximumCharacters: 20))
        let pieces = try plan(text, unit: .text, provider: provider).segments.map(\.text)
        #expect(
            pieces == ["Dear whale,", "how  are you? Yours"] || pieces.allSatisfy { $0.unicodeScalars.count <= 20 })
        #expect(pieces.count == 2)
    }

    @Test func `Ids sort by creation time`() {
        var ids = OrderedIDs(from: Date(timeIntervalSince1970: 1_700_000_000))
        let all = (0..<10_000).map { _ in ids.next().uuidString }
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        #expect(all.allSatisfy { $0.dropFirst(14).first == "7" })
    }

    @Test(arguments: [
        ("rate=150", "rate", ParameterValue.int(150)), ("x=1.5", "x", .double(1.5)), ("v=a=b", "v", .string("a=b")),
        ("v=", "v", .string("")), ("v=nan", "v", .string("nan")),
    ])
    func `A parameter option has a name and a value`(text: String, name: String, value: ParameterValue) throws {
        let option = try #require(ParameterOption(argument: text))
        #expect(option.name == name)
        #expect(option.value == value)
    }

    @Test(arguments: ["rate", "=5", ""])
    func `A parameter option without a name or value is refused`(text: String) {
        #expect(ParameterOption(argument: text) == nil)
    }
}
