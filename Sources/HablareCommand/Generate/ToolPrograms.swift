import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareStructured

/// Creates the tools for the programs that a command line names.
struct ToolPrograms: Sendable {
    /// The argument with which a program describes itself.
    static let describe = "--describe"
    /// The time in which a program must describe itself.
    static let timeLimit = Duration.seconds(10)

    let composition: Composition
    private let supervisor = CommandSupervisor()

    init(in composition: Composition) { self.composition = composition }

    /// Returns the tools, in the order of the command line.
    func tools(_ names: [String]) async throws -> [Tool] {
        var tools: [Tool] = []
        for name in names { tools.append(try await tool(name)) }
        return tools
    }

    private func tool(_ name: String) async throws -> Tool {
        let isFile = name.lowercased().hasSuffix(".json")
        let description = isFile ? try described(in: composition.url(name)) : try await describing(name)
        let executable = try executable(of: description, named: name, isFile: isFile)
        let program = try ToolProgram(
            executable: executable, arguments: description.arguments, environment: description.environment,
            supervisor: supervisor, searchPath: composition.environment["PATH"])
        if let problem = program.problem { throw problem }
        return try Tool(description.definition, policy: description.policy) { call in
            do {
                return ToolResult(try await program.run(try call.arguments.jsonText()))
            } catch let error as AIServiceError {
                throw ToolFailure([error.message, error.cause].compactMap(\.self).joined(separator: "\n"))
            }
        }
    }

    private func described(in url: URL) throws -> ToolDescription {
        try ToolDescription(
            json: InputFile.read(url, atMost: ToolDescription.mostBytes, what: "description of a tool"), of: url.path)
    }

    /// Returns the program of a description. It is in the folder of the description, or it is installed.
    private func executable(of description: ToolDescription, named name: String, isFile: Bool) throws -> String {
        guard isFile else { return path(name, from: composition.workingDirectory) }
        guard let executable = description.executable else {
            throw CommandFailure(
                .configuration, "\(composition.url(name).path) names no program. Add the key executable.")
        }
        return path(executable, from: composition.url(name).deletingLastPathComponent())
    }

    /// Returns the absolute path of a name that has a slash. A name without a slash is looked up in `PATH`.
    private func path(_ name: String, from folder: URL) -> String {
        name.contains("/") ? URL(filePath: name, relativeTo: folder).absoluteURL.standardizedFileURL.path : name
    }

    /// Runs a program so that it describes itself.
    private func describing(_ name: String) async throws -> ToolDescription {
        let program = try ToolProgram(
            executable: path(name, from: composition.workingDirectory), arguments: [Self.describe],
            supervisor: supervisor, searchPath: composition.environment["PATH"])
        if let problem = program.problem { throw problem }
        let advice = "A tool prints its description with \(Self.describe); see docs/tools.md, or name a JSON file."
        let text: String
        do {
            text = try await firstValue(of: [
                { try await program.run("") },
                {
                    guard await composition.seams.clock.sleepUnlessCancelled(for: Self.timeLimit) else { return nil }
                    throw CommandFailure(.unavailable, "\(name) \(Self.describe) does not end. \(advice)")
                },
            ])
        } catch let error as AIServiceError {
            throw CommandFailure(.unavailable, "\(error.message) \(advice)")
        }
        let description = try ToolDescription(json: Data(text.utf8), of: "\(name) \(Self.describe)")
        guard description.executable == nil, description.arguments.isEmpty else {
            throw CommandFailure(
                .configuration,
                "\(name) \(Self.describe) names a program. Leave executable and arguments out: the program is \(name).")
        }
        return description
    }
}
