import Foundation
import Hablare
import HablareJSON
import HablareProviders

/// The file with the user's own programs, in addition to the known programs: `programs.json`. docs/programs.md
/// documents its form.
struct ProgramsFile: Sendable {
    let url: URL

    init?(environment: [String: String]) {
        guard let url = XDGFolders(environment: environment).configurationFile("programs.json") else { return nil }
        self.url = url
    }

    /// Reads the programs, sorted by name; empty if there is no file.
    func templates(beside known: [ProviderID]) throws -> [CommandTemplate] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        let programs: [String: Program]
        do {
            let json = try Data(contentsOf: url)
            // The decoder accepts more than JSON, of which nothing would be checked.
            if let fault = JSONFault(in: json) { throw failure(fault.sentence) }
            try refuseUnknownKeys(in: ParameterValue(json: json)?.members ?? [:])
            programs = try JSONDecoder().decode([String: Program].self, from: json)
        } catch let error as DecodingError {
            throw failure(Self.words(for: error))
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw failure("It cannot be read: \(error.localizedDescription)")
        }
        return try programs.sorted { $0.key < $1.key }.map { name, program in
            guard !name.isEmpty, !known.contains(ProviderID(rawValue: name)) else {
                throw failure(
                    """
                    The name \(name.debugDescription) is already taken by another provider. Rename the program.
                    """)
            }
            let template = try program.template(called: name, of: self)
            do throws(AIServiceError) {
                _ = try CommandProvider(template)
            } catch {
                throw failure(error.message)
            }
            return template
        }
    }

    /// Throws an error for an unknown key, because otherwise a mistyped key would be silently ignored.
    private func refuseUnknownKeys(in programs: [String: ParameterValue]) throws {
        func check(_ value: ParameterValue, at location: String, _ known: [String]) throws {
            for key in value.members.keys.sorted() where !known.contains(key) {
                throw failure("At \(location): There is no key \(key).\(NearestNames(known).hint(for: key))")
            }
        }
        for (name, program) in programs.sorted(by: { $0.key < $1.key }) {
            try check(program, at: name, Program.CodingKeys.allCases.map(\.rawValue))
            let parameters = program.members["parameters"]?.members ?? [:]
            for (parameter, value) in parameters.sorted(by: { $0.key < $1.key }) {
                try check(
                    value, at: "\(name).parameters.\(parameter)", Program.Parameter.CodingKeys.allCases.map(\.rawValue))
            }
        }
    }

    /// Returns one line of advice for an error message: how to add a program under a name that is not used yet.
    func addition(of name: String, answering answer: String) -> String {
        "To use a program under this name, add to \(url.path): "
            + "{\(name.debugDescription): {\"executable\": \"/path/of/the/program\", \"answer\": \"\(answer)\"}} "
            + "(beside the other entries). The program reads the prompt on its standard input."
    }

    func failure(_ problem: String) -> CommandFailure { CommandFailure(file: url, problem) }

    private static func words(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(location(context))\(key.stringValue) is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(location(context))\(context.debugDescription)"
        case .dataCorrupted(let context): "\(location(context))\(context.debugDescription)"
        @unknown default: "It is not valid."
        }
    }

    private static func location(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return path.isEmpty ? "" : "At \(path.joined(separator: ".")): "
    }
}

private struct Program: Decodable {
    struct Argument: Decodable {
        let argument: CommandArgument

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                argument = .piece(try container.decode(String.self))
            } catch DecodingError.typeMismatch {
                argument = .optional(try container.decode([String].self))
            }
        }
    }

    struct Parameter: Decodable {
        enum Kind: String, Decodable {
            case text, name, integer, number
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case `default`, kind, from, to
        }

        let `default`: String?
        let kind: Kind?
        let from: Double?
        let to: Double?

        /// The accepted values; `nil` if the limits do not fit the kind of the placeholder.
        var accepts: CommandPlaceholder.Values? {
            switch (kind ?? .text, from, to) {
            case (.text, nil, nil): .text
            case (.name, nil, nil): .name
            case (.integer, let from?, let to?)
            where Int(exactly: from) != nil && Int(exactly: to) != nil && from <= to:
                .integer(Int(from)...Int(to))
            case (.number, let from?, let to?) where from <= to: .number(from...to)
            default: nil
            }
        }
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case executable, arguments, parameters, reads, answer, file, maximumBytes, installation, environment
    }

    let executable: String
    let arguments: [Argument]?
    let parameters: [String: Parameter]?
    let reads: String?
    let answer: String
    let file: String?
    let maximumBytes: Int?
    let installation: String?
    let environment: Set<String>?

    private var content: CommandContent? {
        let words = answer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return switch (words.first, words.count) {
        case ("text", 1): .text
        case ("data", 1): .data
        case ("audio", 2) where !words[1].isEmpty: .audio(AudioFormat(rawValue: words[1]))
        case ("image", 2) where !words[1].isEmpty: .image(ImageFormat(rawValue: words[1]))
        default: nil
        }
    }

    func template(called name: String, of file: ProgramsFile) throws -> CommandTemplate {
        guard let content else {
            throw file.failure(
                "At \(name).answer: Use text, data, audio/wav, image/png or another format, not \(answer).")
        }
        let placeholders = try (parameters ?? [:]).sorted { $0.key < $1.key }.map { parameter, values in
            guard let accepts = values.accepts else {
                throw file.failure(
                    """
                    At \(name).parameters.\(parameter): Give from and to, in order, for a number or an integer, and \
                    for no other kind.
                    """)
            }
            return CommandPlaceholder(parameter, default: values.default, accepts: accepts)
        }
        var template = CommandTemplate(
            id: ProviderID(rawValue: name), executable: executable, arguments: (arguments ?? []).map(\.argument),
            placeholders: placeholders, output: self.file.map { .file(extension: $0) } ?? .standardOutput,
            content: content, installation: installation)
        if let maximumBytes { template.maximumOutputBytes = maximumBytes }
        switch reads ?? "text" {
        case "text": template.input = .text
        case "audio": template.input = .audio
        case let other: throw file.failure("At \(name).reads: It is text or audio, not \(other).")
        }
        template.environment = environment ?? []
        return template
    }
}

extension ParameterValue {
    fileprivate var members: [String: ParameterValue] { if case .object(let members) = self { members } else { [:] } }
}
