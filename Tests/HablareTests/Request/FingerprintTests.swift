import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct FingerprintTests {
    private static let instance = ProviderInstance(kind: "command", location: "/bin/x")

    private func fingerprint(
        _ request: AIRequest, _ instance: ProviderInstance = instance
    ) throws -> Fingerprint {
        try Fingerprint(request, instance: instance)
    }

    private func request(_ parameters: [String: ParameterValue] = [:], prompt: Prompt = "x") -> AIRequest {
        AIRequest(prompt: prompt, parameters: parameters)
    }

    @Test("The fingerprint is stable between versions")
    func stable() throws {
        let request = AIRequest(
            prompt: "hello", model: "m", parameters: ["a": [1, 2.5, true, nil], "b": ["c": "d"]], sample: 1, tenant: "t"
        )
        // Computed by another program.
        let expected = "7dcbf78f63afd0dbda6b2b3fe2ea49a75b0cc0e7fc60bcad4e90678a92185c83"
        #expect(try fingerprint(request).description == expected)
    }

    @Test("Labels, priority, limits and the UUID do not change the fingerprint")
    func ignored() throws {
        var other = request()
        other.metadata = ["k": "v"]
        other.priority = .high
        other.attemptTimeout = .seconds(1)
        #expect(try fingerprint(other) == fingerprint(request()))
    }

    @Test("Every field that changes the answer changes the fingerprint")
    func distinct() throws {
        var requests = [
            request(), request(prompt: "y"), request(prompt: ""), request(prompt: .messages([])),
            request(prompt: .messages([Prompt.Message(role: .user, text: "x")])),
            request(prompt: .messages([Prompt.Message(role: .system, text: "x")])),
            request(prompt: .messages([Prompt.Message(role: .user, parts: [.text("x"), .text("")])])),
            request(prompt: .messages([Prompt.Message(role: .user, parts: [.image(Body("x"), .png)])])),
            request(prompt: .messages([Prompt.Message(role: .user, parts: [.image(Body("x"), .jpeg)])])),
            request(prompt: .messages([Prompt.Message(role: .user, parts: [.image(Body("y"), .png)])])),
            request(prompt: .messages([Prompt.Message(role: .user, parts: [.toolResult(id: "a", content: "b")])])),
            request(prompt: .messages([Prompt.Message(role: .user, parts: [.toolResult(id: "ab", content: "")])])),
            request(
                prompt: .messages([Prompt.Message(role: .user, parts: [.toolCall(id: "a", name: "b", arguments: nil)])])
            ),
        ]
        for value: ParameterValue in [
            nil, true, false, 0, 1, 0.5, "", "0", "1", "true", [], [[]], [nil], [:], ["b": nil], ["b": 1], [1, 2],
            [2, 1],
            [12], ["1", "2"],
        ] {
            requests.append(request(["a": value]))
        }
        requests.append(request(["": 1]))
        requests.append(request(["a": 1, "b": 1]))
        var prints = try requests.map { try fingerprint($0) }
        var changed = request()
        changed.model = ""
        prints.append(try fingerprint(changed))
        changed.model = "m"
        prints.append(try fingerprint(changed))
        prints.append(try fingerprint(AIRequest(prompt: "x", sample: 1)))
        prints.append(try fingerprint(AIRequest(prompt: "x", sample: -1)))
        prints.append(try fingerprint(AIRequest(prompt: "x", tenant: "t")))
        prints.append(try fingerprint(request(), ProviderInstance(kind: "command", location: "/bin/y")))
        #expect(Set(prints).count == prints.count)
    }

    @Test("Fields are framed, so text cannot move from one field to the next")
    func framing() throws {
        let pairs = [(AIRequest(prompt: "bc", tenant: "a"), AIRequest(prompt: "c", tenant: "ab"))]
        for (one, two) in pairs { #expect(try fingerprint(one) != fingerprint(two)) }
        #expect(try fingerprint(request(["a": "bc"])) != fingerprint(request(["ab": "c"])))
        #expect(try fingerprint(request(["a": ["b", "c"]])) != fingerprint(request(["a": ["bc"]])))
    }

    @Test("The order of keys does not change the fingerprint", arguments: Seeds.choose(20))
    func keyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let keys = (0..<30).map { "key \($0) é" }
        func shuffled() -> [String: ParameterValue] {
            var object: [String: ParameterValue] = [:]
            for key in keys.shuffled(using: &random) { object[key] = .string(key) }
            return object
        }
        let (one, two) = (shuffled(), shuffled())
        #expect(try fingerprint(request(["o": .object(one)])) == fingerprint(request(["o": .object(two)])))
    }

    @Test("Minus zero has the fingerprint of zero")
    func minusZero() throws {
        #expect(try fingerprint(request(["a": .double(-0.0)])) == fingerprint(request(["a": .double(0.0)])))
    }

    @Test("The fingerprint refuses numbers that are not finite", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(number: Double) {
        for value in [ParameterValue.double(number), [.double(number)], ["k": .double(number)]] {
            let error = #expect(throws: AIServiceError.self) { try fingerprint(request(["a": value])) }
            #expect(error?.code == .invalidRequest)
        }
        let call = Prompt.Part.toolCall(id: "", name: "", arguments: .double(number))
        #expect(throws: AIServiceError.self) {
            try fingerprint(request(prompt: .messages([Prompt.Message(role: .assistant, parts: [call])])))
        }
    }

    @Test("The fingerprint accepts 64 levels of nesting and refuses more")
    func depth() throws {
        func nested(_ levels: Int) -> ParameterValue {
            (0..<levels).reduce(ParameterValue.int(1)) { value, _ in .array([value]) }
        }
        _ = try fingerprint(request(["a": nested(63)]))
        let error = #expect(throws: AIServiceError.self) { try fingerprint(request(["a": nested(64)])) }
        #expect(error?.code == .invalidRequest)
        #expect(throws: AIServiceError.self) { try fingerprint(request(["a": nested(5_000)])) }
    }
}
