import Foundation
import Hablare
import HablareProviders

/// The programs that somebody wants asked beside those that are known: `programs.json`.
///
/// ```json
/// {
///   "writer": {
///     "executable": "python3",
///     "arguments": ["-u", "/home/ada/writer.py", "--style={style}", ["--words", "{words}"]],
///     "parameters": {"style": {"default": "plain"}, "words": {"kind": "integer", "from": 1, "to": 5000}},
///     "answer": "text"
///   }
/// }
/// ```
///
/// An argument that is a list is left out as a whole where one of its parameters has no value. `answer` is `text`,
/// `data`, `audio/FORMAT` or `image/FORMAT`; with `"file": "wav"` it is in a file of that extension whose path stands at
/// `{output}`, else on standard output. A parameter's `kind` is `text` (the default), `name`, `integer` or `number`, the
/// two last with `from` and `to`. Also: `maximumBytes` of an answer, and `installation`, the command that installs the
/// program. The prompt is on standard input.
struct ProgramsFile: Sendable {
    let url: URL

    init?(environment: [String: String]) {
        guard let url = XDGFolders(environment: environment).configurationFile("programs.json") else { return nil }
        self.url = url
    }

    /// Reads it.
    func templates(beside known: [ProviderID]) throws -> [CommandTemplate] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        let programs: [String: Program]
        var json = Data()
        do {
            json = try Data(contentsOf: url)
            programs = try JSONDecoder().decode([String: Program].self, from: json)
        } catch let error as DecodingError {
            throw failure(JSONFault(in: json)?.sentence ?? Self.words(for: error))
        } catch let error as CommandFailure {
            throw failure(error.message)
        } catch {
            throw failure("It cannot be read: \(error.localizedDescription)")
        }
        return try programs.sorted { $0.key < $1.key }.map { name, program in
            guard !name.isEmpty, !known.contains(ProviderID(rawValue: name)) else {
                throw failure("No program can be called \(name.debugDescription): there is one already. Rename it.")
            }
            let template = try program.template(called: name)
            do throws(AIServiceError) {
                _ = try CommandProvider(template)
            } catch {
                throw failure(error.message)
            }
            return template
        }
    }

    /// How a program gets a name that is none yet, on the one line of an error.
    func addition(of name: String, answering answer: String) -> String {
        "To have a program asked under this name, write into \(url.path): "
            + "{\(name.debugDescription): {\"executable\": \"/path/of/the/program\", \"answer\": \"\(answer)\"}} "
            + "(among what is there); it reads the prompt on its standard input."
    }

    func failure(_ problem: String) -> CommandFailure { CommandFailure(file: url, problem) }

    private static func words(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(place(context))\(key.stringValue) is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(place(context))\(context.debugDescription)"
        case .dataCorrupted(let context): "\(place(context))\(context.debugDescription)"
        @unknown default: "It cannot be understood."
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
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

        enum Keys: String, CodingKey, CaseIterable {
            case `default`, kind, from, to
        }

        let `default`: String?
        let accepts: CommandPlaceholder.Values

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self, refusingOthers: Keys.allCases)
            `default` = try container.decodeIfPresent(String.self, forKey: .default)
            let from = try container.decodeIfPresent(Double.self, forKey: .from)
            let to = try container.decodeIfPresent(Double.self, forKey: .to)
            let kind = try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .text
            switch (kind, from, to) {
            case (.text, nil, nil): accepts = .text
            case (.name, nil, nil): accepts = .name
            case (.integer, let from?, let to?)
            where Int(exactly: from) != nil && Int(exactly: to) != nil && from <= to:
                accepts = .integer(Int(from)...Int(to))
            case (.number, let from?, let to?) where from <= to:
                accepts = .number(from...to)
            default:
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "A number or an integer has from and to, in order; other kinds have neither.")
                )
            }
        }
    }

    enum Keys: String, CodingKey, CaseIterable {
        case executable, arguments, parameters, answer, file, maximumBytes, installation
    }

    let executable: String
    let arguments: [Argument]
    let parameters: [String: Parameter]
    let content: CommandContent
    let file: String?
    let maximumBytes: Int?
    let installation: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self, refusingOthers: Keys.allCases)
        executable = try container.decode(String.self, forKey: .executable)
        arguments = try container.decodeIfPresent([Argument].self, forKey: .arguments) ?? []
        parameters = try container.decodeIfPresent([String: Parameter].self, forKey: .parameters) ?? [:]
        file = try container.decodeIfPresent(String.self, forKey: .file)
        maximumBytes = try container.decodeIfPresent(Int.self, forKey: .maximumBytes)
        installation = try container.decodeIfPresent(String.self, forKey: .installation)
        let answer = try container.decode(String.self, forKey: .answer)
        let words = answer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (words.first, words.count) {
        case ("text", 1): content = .text
        case ("data", 1): content = .data
        case ("audio", 2) where !words[1].isEmpty: content = .audio(AudioFormat(rawValue: words[1]))
        case ("image", 2) where !words[1].isEmpty: content = .image(ImageFormat(rawValue: words[1]))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .answer, in: container,
                debugDescription: "It is text, data, audio/wav, image/png or another format, not \(answer).")
        }
    }

    func template(called name: String) throws -> CommandTemplate {
        var template = CommandTemplate(
            id: ProviderID(rawValue: name), executable: executable, arguments: arguments.map(\.argument),
            placeholders: parameters.sorted { $0.key < $1.key }.map { name, parameter in
                CommandPlaceholder(name, default: parameter.default, accepts: parameter.accepts)
            },
            output: file.map { .file(extension: $0) } ?? .standardOutput, content: content, installation: installation)
        if let maximumBytes { template.maximumOutputBytes = maximumBytes }
        return template
    }
}

extension Decoder {
    /// The container of an object that has no other keys: a mistyped one would be ignored in silence.
    fileprivate func container<Key: CodingKey>(
        keyedBy type: Key.Type, refusingOthers known: [Key]
    ) throws -> KeyedDecodingContainer<Key> {
        let names = known.map(\.stringValue)
        for key in try container(keyedBy: AnyKey.self).allKeys where !names.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath,
                    debugDescription:
                        "There is no key \(key.stringValue).\(NearestNames(names).hint(for: key.stringValue))"))
        }
        return try container(keyedBy: type)
    }
}
