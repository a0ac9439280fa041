import ArgumentParser
import Foundation
import Hablare
import HablareFiles
import HablareProviders
import HablareStructured

/// The folder with the user's templates.
struct TemplateFolder: Sendable {
    let url: URL

    init(in composition: Composition) throws {
        guard let folder = XDGFolders(environment: composition.environment).configuration else {
            throw CommandFailure(
                .configuration,
                "Templates have no place, because neither XDG_CONFIG_HOME nor HOME is set. Set one of them.")
        }
        url = folder.appending(path: PromptTemplate.folderName, directoryHint: .isDirectory)
    }

    /// Returns the file of a template with a name. The file may not exist.
    ///
    /// - Throws: ``CommandFailure`` for a name that no template can have.
    func file(_ name: String) throws -> URL {
        guard name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,63}/) != nil else {
            let problem =
                name.contains("/")
                ? "A template's name has no /, because it is not a path." : "No template has this name."
            throw CommandFailure(.usage, "\(problem) Use letters, digits, dots, hyphens and underscores, at most 64.")
        }
        return url.appending(path: "\(name).\(PromptTemplate.ending)", directoryHint: .notDirectory)
    }

    /// The names of all templates, sorted.
    func names() throws -> [String] {
        do {
            return try FileSystem.contents(of: url.path).map { URL(filePath: $0) }
                .filter { $0.pathExtension == PromptTemplate.ending }
                .map { $0.deletingPathExtension().lastPathComponent }.filter { !$0.hasPrefix(".") }.sorted()
        } catch {
            throw CommandFailure(.inputMissing, "The folder \(url.path) cannot be read: \(error.reason)")
        }
    }

    /// Returns the file of a template, which must exist.
    func existing(_ name: String) throws -> URL {
        let file = try file(name)
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw CommandFailure(
                .inputMissing,
                "There is no template \(name).\(NearestNames(try names()).hint(for: name)) `hablare template list` lists them."
            )
        }
        return file
    }

    func text(_ name: String) throws -> YAMLText {
        let file = try existing(name)
        return try YAMLText(
            InputFile.read(file, atMost: PromptTemplate.maximumBytes, what: "template"), at: file)
    }

    func template(_ name: String) throws -> PromptTemplate { try PromptTemplate(text(name)) }
}

/// A placeholder with its value: `language=German`.
struct PlaceholderValue: ExpressibleByArgument, Sendable, Hashable {
    let name: String
    let text: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), PlaceholderText.isName(argument[..<equals]) else { return nil }
        name = String(argument[..<equals])
        text = String(argument[argument.index(after: equals)...])
    }
}

struct TemplateOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Use a template: its prompt, instructions, provider, model, parameters and schema. See `hablare template`.",
            valueName: "name"))
    var template: String?

    @Option(
        name: [.customShort("p"), .long],
        help: ArgumentHelp("With --template: the value of a placeholder. Can be repeated.", valueName: "name=value"))
    var placeholder: [PlaceholderValue] = []

    func validate() throws {
        guard template != nil || placeholder.isEmpty else {
            throw ValidationError("-p gives a value to a template. Add --template, or leave -p out.")
        }
        let names = placeholder.map(\.name)
        if names.contains(PromptTemplate.input) {
            throw ValidationError("The input of a template is the prompt. Pass it as the argument, or pipe it in.")
        }
        guard Set(names).count == names.count else {
            throw ValidationError("A placeholder has two values. Give each one value.")
        }
    }

    func found(in composition: Composition) throws -> PromptTemplate? {
        try template.map { try TemplateFolder(in: composition).template($0) }
    }

    /// Returns the prompt and the instructions of a template, filled with the values and the input.
    func filled(
        _ template: PromptTemplate, argument: String?, quiet: Bool, in composition: Composition
    ) throws -> (input: PromptInput, system: String?) {
        // Missing values are reported before anything is read.
        _ = try template.filled(placeholder, input: nil)
        let needsInput = template.placesInput || template.prompt == nil
        let given =
            needsInput
            ? try PromptInput.read(argument, quiet: quiet, in: composition)
            : try PromptInput.readIfAny(argument, quiet: quiet, in: composition)
        let (system, prompt) = try template.filled(placeholder, input: given?.text)
        var input = given ?? PromptInput(text: "")
        if let prompt {
            input.text = template.placesInput ? prompt : PromptInput.combined(input.text, before: prompt)
        }
        return (input, system)
    }
}
