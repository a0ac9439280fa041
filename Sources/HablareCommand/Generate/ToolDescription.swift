import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareStructured

/// The description of a program that a model may call. docs/tools.md documents its form.
struct ToolDescription: Sendable, Equatable {
    static let mostBytes = 1 << 20

    var definition: ToolDefinition
    /// The program; `nil` if the program described itself.
    var executable: String?
    var arguments: [String] = []
    /// The names of the environment variables with keys that the program gets.
    var environment: Set<String> = []
    var policy = ToolPolicy()

    /// Reads a description.
    ///
    /// - Parameter source: The file or the program, for errors.
    init(json: Data, of source: String) throws {
        func failure(_ problem: String) -> CommandFailure {
            CommandFailure(.configuration, "\(source) does not describe a tool. \(problem)")
        }
        guard json.count <= Self.mostBytes else { throw failure("It is longer than \(Self.mostBytes) bytes.") }
        if let fault = JSONFault(in: json) { throw failure(fault.sentence) }
        guard case .object(let members)? = ParameterValue(json: json) else { throw failure("It is no JSON object.") }
        for key in members.keys.sorted() where !Self.keys.contains(key) {
            throw failure("There is no key \(key).\(NearestNames(Self.keys).hint(for: key))")
        }
        func text(_ key: String) throws -> String? {
            guard let value = members[key] else { return nil }
            guard let text = value.string else { throw failure("At \(key): It is no text.") }
            return text
        }
        func texts(_ key: String) throws -> [String] {
            guard let value = members[key] else { return [] }
            guard case .array(let values) = value else { throw failure("At \(key): It is no list of texts.") }
            return try values.map { value in
                guard let text = value.string else { throw failure("At \(key): It is no list of texts.") }
                return text
            }
        }
        func word<Word>(_ key: String, _ words: [String: Word]) throws -> Word? {
            guard let text = try text(key) else { return nil }
            guard let word = words[text] else {
                throw failure("At \(key): It is \(words.keys.sorted().joined(separator: " or ")).")
            }
            return word
        }
        func number(_ key: String) throws -> Double? {
            switch members[key] {
            case nil: return nil
            case .int(let number)?: return Double(number)
            case .double(let number)?: return number
            default: throw failure("At \(key): It is no number.")
            }
        }
        guard let name = try text("name") else { throw failure("The key name is missing.") }
        definition = ToolDefinition(name: name, description: try text("description") ?? "")
        if let parameters = members["parameters"] { definition.parameters = parameters }
        executable = try text("executable")
        arguments = try texts("arguments")
        environment = Set(try texts("environment"))
        if let seconds = try number("timeout") {
            guard (0.001...86_400).contains(seconds) else {
                throw failure("At timeout: It is a number of seconds from 0.001 to 86400.")
            }
            policy.timeLimit = .seconds(seconds)
        }
        if let bytes = try number("maximumBytes") {
            guard let count = Int(exactly: bytes) else { throw failure("At maximumBytes: It is no number of bytes.") }
            policy.maximumResultBytes = count
        }
        policy.needsApproval = try word("approval", ["ask": true, "never": false]) ?? policy.needsApproval
        let outcomes = ["hold": UnknownOutcomePolicy.hold, "run-again": .runAgain]
        policy.unknownOutcome = try word("ifInterrupted", outcomes) ?? policy.unknownOutcome
        do throws(AIServiceError) {
            // Checks the name, the schema and the settings.
            _ = try Tool(definition, policy: policy) { _ in "" }
        } catch {
            throw failure(error.message)
        }
    }

    private static let keys = [
        "name", "description", "parameters", "executable", "arguments", "environment", "timeout", "maximumBytes",
        "approval", "ifInterrupted",
    ]
}
