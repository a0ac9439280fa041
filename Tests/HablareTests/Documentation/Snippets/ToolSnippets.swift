import Foundation
import Hablare
import HablareStructured

// snippet: tools
func makeTools(
    forecast: @escaping @Sendable (String) async throws -> String,
    book: @escaping @Sendable (String) async throws -> Void
) throws -> ToolProvider {
    struct City: Decodable { let city: String }
    let schema: ParameterValue = [
        "type": "object", "properties": ["city": ["type": "string"]], "required": ["city"],
    ]
    // A tool that only reads: a call needs no approval, and runs again after a crash.
    let weather = try Tool(
        ToolDefinition(name: "weather", description: "The weather in a city, tomorrow.", parameters: schema),
        policy: .readOnly, taking: City.self
    ) { place in
        ToolResult(try await forecast(place.city))
    }
    // A tool with an effect: each call needs approval, and an interrupted call is held.
    let flight = try Tool(
        ToolDefinition(name: "book_flight", description: "Books a flight to a city.", parameters: schema),
        policy: ToolPolicy(timeLimit: .seconds(30)), taking: City.self
    ) { place in
        try await book(place.city)
        return "booked"
    }
    return try ToolProvider([weather, flight])
}
// end snippet

// snippet: a tool loop
/// Answers a question. The same question under the same id continues where it stopped, in any process.
func plan(
    _ question: String, id: String, tools: ToolProvider, with manager: AIRequestManager,
    isAllowed: @escaping @Sendable (ToolCall) async -> Bool
) async throws -> String {
    let loop = try ToolLoop(
        "openai.text.gpt-6-luna", tools: tools, limits: ToolLimits(turns: 8, microDollars: 100_000)
    ) { question in
        // A call with an unknown outcome might have booked the flight, so it never runs again by itself.
        guard question.reason == .beforeCall else { return .refuse() }
        return await isAllowed(question.call) ? .approve : .refuse(reason: "The user does not want that.")
    }
    let output = try await loop.run(
        loop.request(.text(question)), manager: manager, jobKey: JobKey.hashing([Data(id.utf8), Data(question.utf8)]))
    return output.value
}
// end snippet
