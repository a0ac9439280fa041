import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The service's own message in an error.
@Suite struct VendorWordsTests {
    private func shown(
        _ message: String, _ request: AIRequest? = AIRequest(prompt: "Hi."), sentBody: Bool = true
    ) throws -> String? {
        VendorWords(
            [request].compactMap(\.self), sentBody: sentBody, keys: [try APIKey("gateway-key-0123")]
        ).shown(message)
    }

    @Test(
        arguments: [
            (#"{"error":{"message":"Too long.","code":"x"}}"#, "Too long."), (#"{"error":"Too long."}"#, "Too long."),
            (#"{"message":"Too long."}"#, "Too long."), (#"{"detail":"Too long."}"#, "Too long."),
            (#"{"type":"error","error":{"type":"a","message":"Too long."}}"#, "Too long."),
            (#"{"detail":{"status":"a","message":"Too long."}}"#, "Too long."),
            (#"{"detail":[{"loc":["body",0,"text"],"msg":"missing"},{"msg":"late"}]}"#, "body.0.text: missing; late"),
            (#"{"object":"error","message":{"detail":[{"loc":["body","seed"],"msg":"Extra"}]}}"#, "body.seed: Extra"),
            (#"[{"error":{"message":"Too long."}}]"#, "Too long."), (#"{"code":"a"}"#, nil), ("{}", nil), ("7", nil),
            (#"{"error":{"message":""}}"#, nil),
        ] as [(String, String?)])
    func `The message is found in every known form`(body: String, message: String?) throws {
        #expect(VendorWords.message(in: ParameterValue(lenientJSON: Data(body.utf8))) == message)
    }

    @Test func `A nested body has an end`() {
        let body = String(repeating: #"{"error":"#, count: 50) + #""x""# + String(repeating: "}", count: 50)
        #expect(VendorWords.message(in: ParameterValue(lenientJSON: Data(body.utf8))) == nil)
    }

    @Test func `The first 300 characters are kept, and no control characters`() throws {
        let long = try #require(try shown(String(repeating: "é ab", count: 500)))
        #expect(long.count == VendorWords.longest && long.hasSuffix("…"))
        #expect(try shown("a\u{1B}[31mred\u{7}\r\n\u{202E}b\u{0}") == "a [31mred b")
        #expect(try shown(" \n ") == nil)
    }

    @Test(
        arguments: [
            "sk-proj-0123456789abcdef", "sk-abcd********wxyz", "gateway-key-0123", "GATEWAY-KEY-0123",
            "AIzaSyA0123456789", "0123456789abcdefABCDEF", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx",
        ])
    func `Keys are taken out`(key: String) throws {
        #expect(
            try shown("Incorrect key: \(key). See https://example.com/api-keys.")?.contains(key.prefix(12)) == false)
        #expect(try shown("Incorrect key: '\(key)' given")?.contains("[key]") == true)
    }

    @Test func `Names and codes stay`() throws {
        let message =
            "Invalid schema for response_format 'answer': In context=('properties', 'price'), 'required' is required to be supplied by claude-sonnet-4-5-20250929."
        #expect(try shown(message) == message)
    }

    @Test func `Words of the prompt, the instructions and other texts are taken out`() throws {
        let request = AIRequest(
            prompt: .messages([
                Prompt.Message(role: .user, text: "Tell Gorgonzola about 90210 and the Ümläut."),
                Prompt.Message(
                    role: .assistant, parts: [.toolCall(id: "1", name: "f", arguments: ["who": "Kowalski"])]),
                Prompt.Message(role: .tool, parts: [.toolResult(id: "1", content: "Trondheim")]),
            ]), parameters: ["instructions": "Whisper.", "stop": ["the End Zebra"], "model_name": "plainword"])
        for word in ["Gorgonzola", "GORGONZOLA", "90210", "Ümläut", "Kowalski", "Trondheim", "Whisper", "Zebra"] {
            #expect(try shown("Cannot do '\(word)' with this model", request) == "Cannot do '[prompt]' with this model")
        }
        #expect(try shown("Cannot do \\u00dcml\\u00e4ut", request) == "Cannot do [prompt]")
        #expect(try shown("bad plainword", request) == "bad plainword")
    }

    @Test func `Addresses and file names of the prompt are taken out`() throws {
        let request = AIRequest(
            prompt: .messages([
                Prompt.Message(
                    role: .user,
                    parts: [
                        .link("https://example.com/birthday%20party.png?v=4711", .image),
                        .document(Body(Data("x".utf8)), .pdf, name: "Kowalski contract.pdf"),
                    ])
            ]))
        let quoted = [
            "https://example.com/birthday%20party.png?v=4711", "birthday party.png", "4711", "Kowalski contract.pdf",
            "kowalski",
        ]
        for quote in quoted { #expect(try shown("Cannot fetch '\(quote)'", request) == "Cannot fetch '[prompt]'") }
    }

    @Test func `Texts that are too large to compare keep no message`() throws {
        let request = AIRequest(prompt: .text(String(repeating: "a", count: VendorWords.mostOfTexts)))
        let words = VendorWords([request, AIRequest(prompt: "b")], sentBody: true, keys: [])
        #expect(words.shown("Too long.") == nil)
    }

    @Test func `Without a request only a call without a body has a message`() throws {
        #expect(try shown("No such voice", nil, sentBody: false) == "No such voice")
        #expect(try shown("No such voice", nil, sentBody: true) == nil)
    }

    @Test func `An error that quotes the prompt and the key keeps neither, in a refusal and in a stream`() async throws
    {
        let prompt = "Write about Gorgonzola and my secret birthday party"
        let said = "You wrote '\(prompt)' with \(OpenAIBench.key): unsupported value for temperature"
        let error = #"{"error":{"message":"\#(said)","code":"invalid_value"}}"#
        let answers =
            [OpenAIBench.json(error, status: 400), OpenAIBench.json(error)]
            + [OpenAIBench.stream(OpenAIBench.events([error]))]
        for answer in answers {
            let outcome = try await OpenAIBench().call(AIRequest(prompt: .text(prompt))) { _ in
                answer
            } _: {
                OpenAIBench.chat()($0)
            }
            let failure = try #require(outcome.error)
            #expect(
                failure.cause?.hasSuffix(
                    "invalid_value: You wrote '[prompt]' with [key]: unsupported value for temperature") == true,
                "\(failure.cause ?? "")")
            let stored = String(decoding: try JSONEncoder().encode(failure), as: UTF8.self)
            for word in ["Gorgonzola", "birthday", "secret", "0123456789"] { #expect(!stored.contains(word)) }
            #expect(!failure.message.contains("You wrote"), "the sentence for people stays ours")
        }
    }
}
