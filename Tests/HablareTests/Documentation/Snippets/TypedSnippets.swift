import Foundation
import Hablare
import HablareStructured

// snippet: a recipe
struct Recipe: Codable, Sendable, Equatable {
    struct Ingredient: Codable, Sendable, Equatable {
        let name: String
        let grams: Double
    }

    let title: String
    let ingredients: [Ingredient]
}

func makeCook() throws -> StructuredRequestor<Recipe> {
    let schema = try JSONSchema([
        "type": "object",
        "properties": [
            "title": ["type": "string", "minLength": 1],
            "ingredients": [
                "type": "array", "minItems": 1,
                "items": [
                    "type": "object",
                    "properties": ["name": ["type": "string"], "grams": ["type": "number", "exclusiveMinimum": 0]],
                    "required": ["name", "grams"], "additionalProperties": false,
                ],
            ],
        ],
        "required": ["title", "ingredients"], "additionalProperties": false,
    ])
    return try StructuredRequestor(
        "openai.structured.gpt-6-luna", StructuredConfiguration(schema: schema, schemaName: "recipe"))
}
// end snippet

// snippet: asking for a recipe
/// Finds the recipe again after a crash, by the UUID that the app has stored.
func recipe(for dish: String, id: UUID, with manager: AIRequestManager) async throws -> Recipe {
    let cook = try makeCook()
    var request = try cook.request(.text("A recipe for \(dish)."), id: id)
    request.tags = ["recipes"]
    return try await cook.ask(request, manager: manager).value
}
// end snippet

// snippet: JSON itself
/// Requests JSON that satisfies the schema in a file. A later run with the same prompt finds the existing answer.
func json(_ words: String, as file: Data, with manager: AIRequestManager) async throws -> ParameterValue {
    let schema = try JSONSchema(json: file)
    let model = try StructuredRequestor<ParameterValue>(
        "openai.structured.gpt-6-luna", StructuredConfiguration(schema: schema))
    let job = JobKey.hashing([Data("gpt-6-luna".utf8), Data(words.utf8), file])
    return try await model.ask(model.request(.text(words)), manager: manager, jobKey: job).value
}
// end snippet

// snippet: a conversation with tools
func weather(in city: String, with manager: AIRequestManager, look: (ToolCall) async throws -> String) async throws
    -> String
{
    let tool = ToolDefinition(
        name: "weather", description: "The weather in a city, now.",
        parameters: ["type": "object", "properties": ["city": ["type": "string"]], "required": ["city"]])
    let model = try TextRequestor("openai.text.gpt-6-luna", TextConfiguration(tools: [tool]))
    var conversation = Conversation(instructions: "Be brief.")
    conversation.say("How is the weather in \(city)?")
    for _ in 0..<5 {
        let turn = try await model.ask(conversation, manager: manager)
        if turn.toolCalls.isEmpty { return turn.value }
        conversation.append(turn)
        for call in turn.toolCalls { conversation.append(try await look(call), of: call) }
    }
    throw AIServiceError(.invalidResponse, "The model calls tools without end.")
}
// end snippet

// snippet: a text as it is written
func tell(_ words: String, with manager: AIRequestManager, show: (String) -> Void) async throws {
    let model = try TextRequestor("openai.text.gpt-6-luna")
    var shown = ""
    for try await element in try await model.stream(.text(words), manager: manager) {
        switch element {
        case .text(let piece): shown += piece
        case .restarted: shown = ""
        case .finished: break
        }
        show(shown)
    }
}
// end snippet

// snippet: speech, pictures and vectors
func illustrate(_ story: String, with manager: AIRequestManager) async throws -> (
    sound: Body, picture: Body, vector: [Float]
) {
    let voice = try SpeechRequestor(
        "elevenlabs.speech.eleven_multilingual_v2", SpeechConfiguration(voice: "George", format: "mp3"))
    let brush = try ImageRequestor("openai.image.gpt-image-2.6-flare", ImageConfiguration(quality: "low"))
    let index = try EmbeddingRequestor("openai.embedding.text-embedding-3-small")
    async let sound = voice.ask(.text(story), manager: manager)
    async let picture = brush.ask(.text(story), manager: manager)
    async let vector = index.ask(.text(story), manager: manager)
    return try await (sound.value, picture.value, vector.value)
}
// end snippet
