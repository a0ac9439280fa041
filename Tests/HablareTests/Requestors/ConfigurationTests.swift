import Foundation
import Testing

@testable import Hablare
@testable import HablareStructured

/// The parameters that configurations send: the settings under the names that providers read, and nothing else.
@Suite struct ConfigurationTests {
    @Test("A configuration without settings sends no parameters")
    func empty() throws {
        #expect(try TextConfiguration().parameters().isEmpty)
        #expect(try SpeechConfiguration().parameters().isEmpty)
        #expect(try ImageConfiguration().parameters().isEmpty)
        #expect(try EmbeddingConfiguration().parameters().isEmpty)
    }

    @Test("Settings are sent under the parameter names that all providers read")
    func everything() throws {
        let tool = ToolDefinition(name: "look", description: "Looks.", parameters: ["type": "object"])
        let text = TextConfiguration(
            temperature: 0.5, topP: 0.9, maximumTokens: 100, stop: ["END"], seed: -7, reasoningEffort: .low,
            tools: [tool], toolChoice: .tool("look"), extra: ["top_k": 40])
        #expect(
            try text.parameters() == [
                "temperature": 0.5, "top_p": 0.9, "max_tokens": 100, "stop": ["END"], "seed": -7,
                "reasoning_effort": "low", "tools": ToolDefinition.parameter([tool]), "tool_choice": "look",
                "extra": ["top_k": 40],
            ])
        let speech = SpeechConfiguration(
            voice: "nova", speed: 1.25, format: "mp3", instructions: "Softly.", language: "de", timestamps: true,
            seed: 1, extra: ["style": 0.5])
        #expect(
            try speech.parameters() == [
                "voice": "nova", "speed": 1.25, "format": "mp3", "instructions": "Softly.", "language": "de",
                "timestamps": true, "seed": 1, "extra": ["style": 0.5],
            ])
        let image = ImageConfiguration(
            size: ImageConfiguration.Size(width: 1024, height: 1536), quality: "high", background: "opaque",
            format: .webp, extra: ["moderation": "low"])
        #expect(
            try image.parameters() == [
                "size": "1024x1536", "quality": "high", "background": "opaque", "format": "webp",
                "extra": ["moderation": "low"],
            ])
        let embedding = EmbeddingConfiguration(dimensions: 256, extra: ["user": "x"])
        #expect(try embedding.parameters() == ["dimensions": 256, "extra": ["user": "x"]])
    }

    @Test(
        "A tool choice is sent as a word",
        arguments: [
            (TextConfiguration.ToolChoice.automatic, "auto"), (.never, "none"), (.required, "required"),
            (.tool("t"), "t"),
        ])
    func toolChoices(choice: TextConfiguration.ToolChoice, word: String) throws {
        let configuration = TextConfiguration(tools: [ToolDefinition(name: "t")], toolChoice: choice)
        #expect(try configuration.parameters()["tool_choice"] == .string(word))
    }

    @Test(
        "A text setting out of range is refused",
        arguments: [
            TextConfiguration(temperature: 2.1), TextConfiguration(temperature: -0.1),
            TextConfiguration(temperature: .nan),
            TextConfiguration(topP: 1.1), TextConfiguration(maximumTokens: 0), TextConfiguration(stop: [""]),
            TextConfiguration(reasoningEffort: .init(rawValue: "")),
            TextConfiguration(tools: [ToolDefinition(name: "a b")]),
            TextConfiguration(tools: [ToolDefinition(name: "a"), ToolDefinition(name: "a")]),
            TextConfiguration(toolChoice: .automatic),
            TextConfiguration(tools: [ToolDefinition(name: "a")], toolChoice: .tool("b")),
            TextConfiguration(tools: [ToolDefinition(name: "auto")], toolChoice: .tool("auto")),
        ])
    func text(configuration: TextConfiguration) {
        let error = #expect(throws: AIServiceError.self) { _ = try TextRequestor("a.text.b", configuration) }
        #expect(error?.code == .invalidRequest)
    }

    @Test(
        "A speech setting out of range is refused",
        arguments: [
            SpeechConfiguration(voice: ""), SpeechConfiguration(speed: 0.2), SpeechConfiguration(speed: 4.1),
            SpeechConfiguration(format: ""),
        ])
    func speech(configuration: SpeechConfiguration) {
        #expect(throws: AIServiceError.self) { _ = try SpeechRequestor("a.speech.b", configuration) }
    }

    @Test("An image size or a dimension of zero is refused")
    func others() {
        let size = ImageConfiguration.Size(width: 0, height: 1)
        #expect(throws: AIServiceError.self) { _ = try ImageRequestor("a.image.b", ImageConfiguration(size: size)) }
        #expect(throws: AIServiceError.self) {
            _ = try EmbeddingRequestor("a.embedding.b", EmbeddingConfiguration(dimensions: 0))
        }
    }

    @Test("A structured configuration accepts no tools, up to five repairs and a valid schema name")
    func structured() throws {
        let schema = try JSONSchema(["type": "object"])
        func requestor(_ configuration: StructuredConfiguration) throws {
            _ = try StructuredRequestor<[String: Int]>("a.structured.b", configuration)
        }
        try requestor(StructuredConfiguration(schema: schema, schemaName: "A-z_0", maximumRepairs: 5))
        for name in ["", "a b", "é", String(repeating: "x", count: 65)] {
            #expect(throws: AIServiceError.self) {
                try requestor(StructuredConfiguration(schema: schema, schemaName: name))
            }
        }
        for repairs in [-1, 6] {
            #expect(throws: AIServiceError.self) {
                try requestor(StructuredConfiguration(schema: schema, maximumRepairs: repairs))
            }
        }
        let tools = TextConfiguration(tools: [ToolDefinition(name: "a")])
        #expect(throws: AIServiceError.self) { try requestor(StructuredConfiguration(schema: schema, text: tools)) }
    }

    @Test("A request stores its schema in its parameters and reads it back")
    func requestSchema() throws {
        var request = AIRequest(prompt: "x")
        #expect(try request.schema == nil)
        try request.setSchema(JSONSchema(["type": "null"]), named: "nothing")
        #expect(request.parameters == ["schema": ["type": "null"], "schema_name": "nothing"])
        #expect(try request.schema == JSONSchema(["type": "null"]))
        try request.setSchema(nil)
        #expect(request.parameters.isEmpty)
        request.parameters["schema"] = "none"
        #expect(throws: AIServiceError.self) { _ = try request.schema }
    }
}
