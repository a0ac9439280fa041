import Foundation
import HablareJSON
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// Values of a type, decoded from the answers of models.
@Suite(.timeLimit(.minutes(5)))
struct StructuredRequestorTests {
    private static func ask(
        _ answers: [String], repairs: Int = 0, metadata: [String: String] = [:]
    ) async throws -> StructuredRequestor<Person>.Output {
        let engine = try Engine([saying(answers, metadata: metadata)])
        let requestor = try Person.requestor(repairs: repairs)
        return try await engine.run { [manager = engine.manager] in
            try await requestor.ask("Who?", manager: manager)
        }
    }

    @Test(
        "The schema is sent, and the answer is decoded to a value",
        arguments: [
            Person.json, "```json\n\(Person.json)\n```", "Sure: \(Person.json)",
            #"{"name":"x"} or rather \#(Person.json)"#,
            #"\#(Person.json) and not {"name":"x"}"#, #"{"name":"Bob","age":1} no: \#(Person.json)"#,
        ])
    func value(answer: String) async throws {
        let output = try await Self.ask([answer])
        #expect(output.value == .ada && output.repairs == 0)
        #expect(try await output.response.text() == answer)
    }

    @Test("A structured request has the schema, its name and the settings as parameters")
    func sent() async throws {
        let schema = try Person.schema()
        let requestor = try StructuredRequestor<Person>(
            "service.structured.small",
            StructuredConfiguration(schema: schema, text: TextConfiguration(temperature: 0)))
        let request = try requestor.request("Who?")
        #expect(request.parameters == ["schema": schema.source, "schema_name": "answer", "temperature": 0.0])
        #expect(request.model == "small" && request.prompt == "Who?")
        #expect(try request.schema == schema)
    }

    @Test("A model without schema support gets the schema in the prompt")
    func inPrompt() throws {
        let requestor = try Person.requestor(placement: .prompt)
        let request = try requestor.request("Who?")
        #expect(request.parameters.isEmpty)
        guard case .messages(let messages) = request.prompt else { return #expect(Bool(false)) }
        #expect(messages.map(\.role) == [.system, .user])
        #expect(request.prompt.plainText.contains(#""required":["name","age"]"#))
        let again = try requestor.request(.messages([Prompt.Message(role: .system, text: "Be brief.")]))
        #expect(again.prompt.plainText.hasSuffix("Be brief."))
    }

    @Test("Text from a provider that promised structured values is parsed and repaired")
    func unparsed() async throws {
        let answers = Locked(["Sure: \(Person.json)", #"{"name":"Ada","age":36,"age":-1}"#, Person.json])
        let provider = ScriptedProvider(id: "service.structured", responseType: .structured) { _ in
            let text = answers.withLock { $0.removeFirst() }
            guard let value = ParameterValue(json: Data(text.utf8)) else {
                return .success(ProviderAnswer(.text(Body(text))))
            }
            return .success(ProviderAnswer(.structured(value)))
        }
        let engine = try Engine([provider])
        let requestor = try Person.requestor()
        try await engine.run { [manager = engine.manager] in
            let found = try await requestor.ask("Who?", manager: manager)
            #expect(found.value == .ada && found.repairs == 0)
            let mended = try await requestor.ask("Who is she?", manager: manager)
            #expect(mended.value == .ada && mended.repairs == 1)
        }
        #expect(
            provider.record.calls.last?.request.prompt.plainText.contains("JSON without duplicate names in an object")
                ?? false)
    }

    @Test("A value that the provider has parsed is accepted")
    func parsed() async throws {
        let provider = ScriptedProvider(id: "service.structured", responseType: .structured) { _ in
            .success(ProviderAnswer(.structured(["name": "Ada", "age": 36.0])))
        }
        let engine = try Engine([ScriptedProvider(id: "service"), provider])
        let requestor = try Person.requestor()
        let output = try await engine.run { [manager = engine.manager] in
            try await requestor.ask("Who?", manager: manager)
        }
        #expect(output.value == .ada)
        #expect(provider.record.calls.count == 1)
    }

    @Test(
        "An invalid answer's error names path and expectation, and contains nothing of the answer",
        arguments: [
            (#"{"name":"swordfish","age":-1}"#, "/age must be a number of at least 0"),
            (#"{"name":"swordfish"}"#, "/age must be present"),
            (#"{"name":"Ada","age":1,"swordfish":1}"#, "/* must be absent"),
            ("I do not know any swordfish.", "the whole value must be JSON, and nothing else"),
            (#"{"name":"swordfish","#, "the whole value must be complete JSON"),
            ("", "the whole value must be JSON"),
            (#"{"name":1} and {"name":"Ada","age":"swordfish"}"#, "/age must be a whole number"),
        ])
    func rejected(answer: String, message: String) async throws {
        do {
            _ = try await Self.ask([answer])
            Issue.record("It fits")
        } catch let error as AIServiceError {
            #expect(error.code == .invalidResponse)
            #expect(error.message.contains(message), "\(error.message)")
            #expect(!error.message.contains("swordfish") && error.cause?.contains("swordfish") != true)
        }
    }

    @Test("A value that fits the schema but not the type is invalid")
    func undecodable() async throws {
        struct Odd: Decodable, Sendable { let count: Int, inner: [String: [Int]] }
        let requestor = try StructuredRequestor<Odd>(
            "service.structured.small", StructuredConfiguration(schema: try JSONSchema(true), maximumRepairs: 0))
        for (json, message) in [
            (#"{"count":"x","inner":{}}"#, "/* must be a value that can be decoded as Int"),
            (#"{"count":1}"#, "/* must be present"),
            (#"{"count":null,"inner":{}}"#, "/* must be a value other than null"),
            (#"{"count":1,"inner":{"x":[1,"y"]}}"#, "/*/*/1 must be a value that can be decoded as Int"),
            (#"{"count":1.5,"inner":{}}"#, "must be a value that its type accepts"),
        ] {
            let response = AIResponseData(
                requestID: UUID(), providerID: "p", result: .success(.text(Body(json))), receivedAt: Date())
            do {
                _ = try await requestor.output(of: response)
                Issue.record("\(json) is decoded")
            } catch let error as AIServiceError {
                #expect(error.code == .invalidResponse && error.message.contains(message), "\(error.message)")
            }
        }
    }

    @Test("The app's decoder gets the JSON as the model wrote it")
    func decoder() async throws {
        let requestor = try StructuredRequestor<String>(
            "service.structured.small", StructuredConfiguration(schema: try JSONSchema(["type": "number"]))
        ) { String(decoding: $0, as: UTF8.self) }
        let response = AIResponseData(
            requestID: UUID(), providerID: "p", result: .success(.text("18446744073709551615")), receivedAt: Date())
        #expect(try await requestor.output(of: response).value == "18446744073709551615")
    }

    @Test("With a schema known only at run time the value is the JSON itself")
    func json() async throws {
        let answer = #"{"n":1.0,"big":9223372036854775807,"list":[null,"é"]}"#
        let engine = try Engine([saying(["Here: \(answer)"])])
        let schema = try JSONSchema(json: Data(#"{"type":"object","required":["n"]}"#.utf8))
        let requestor = try StructuredRequestor<ParameterValue>(
            "service.structured.small", StructuredConfiguration(schema: schema))
        let output = try await engine.run { [manager = engine.manager] in
            try await requestor.ask("What?", manager: manager)
        }
        #expect(output.value == ["n": .double(1), "big": .int(.max), "list": [.null, "é"]])
    }

    @Test("An answer above the size limit is refused")
    func tooLong() async throws {
        let response = AIResponseData(
            requestID: UUID(), providerID: "p",
            result: .success(.text(Body(String(repeating: " ", count: 1 << 20) + "1"))),
            receivedAt: Date())
        #expect(await code { _ = try await Person.requestor().output(of: response) } == .responseTooLarge)
    }
}
