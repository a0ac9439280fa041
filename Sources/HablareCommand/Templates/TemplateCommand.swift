import ArgumentParser
import Foundation
import Hablare
import HablareFiles
import HablareProviders

struct TemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template",
        abstract: "Save prompts under names, and use them with `hablare generate -t NAME`.",
        discussion: """
            EXAMPLES:
              hablare template set commit 'Write a commit message for this diff.' -m gpt-6-luna
              git diff | hablare generate -t commit
              hablare template set translate -s 'Translate into {language}.' 'Text: {input}'
              hablare generate -t translate -p language=German 'Good morning.'
              hablare template edit translate

            A template is a file NAME.yaml, in $XDG_CONFIG_HOME/hablare/templates or ~/.config/hablare/templates.
            """,
        subcommands: [
            TemplateListCommand.self, TemplateShowCommand.self, TemplateSetCommand.self, TemplateEditCommand.self,
            TemplateRemoveCommand.self,
        ])
}

struct TemplateListCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the templates.",
        discussion: """
            EXAMPLES:
              hablare template list
              hablare template list --json | jq -r '.[].name'

            Exit status: 0 all templates could be read; 1 a template is invalid.
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    private struct Row: ListRow {
        let name: String
        let provider: String?
        let model: String?
        let placeholders: [String]
        let prompt: String?
        let system: String?

        static let columns: [Column<Row>] = [
            Column("NAME") { $0.name },
            Column("PROVIDER") { $0.provider ?? "-" },
            Column("MODEL") { $0.model ?? "-" },
            Column("PLACEHOLDERS") { $0.placeholders.isEmpty ? "-" : $0.placeholders.joined(separator: ", ") },
            Column("PROMPT") { PsCommand.preview(of: .text($0.prompt ?? $0.system ?? "")) },
        ]

        init(_ template: PromptTemplate) {
            name = template.name
            (provider, model) = (template.provider, template.model)
            placeholders = template.placeholders
            (prompt, system) = (template.prompt, template.system)
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let folder = try TemplateFolder(in: composition)
        var rows: [Row] = []
        var status = CommandStatus.success
        for name in try folder.names() {
            do {
                rows.append(Row(try folder.template(name)))
            } catch let failure as CommandFailure {
                composition.console.note("hablare: \(failure.message)")
                status = .incomplete
            }
        }
        try await composition.console.print(
            rows, json: json, orNote: "There are no templates. Make one with: hablare template set NAME 'PROMPT'")
        return status
    }
}

struct TemplateName: ParsableArguments {
    @Argument(help: "The name of a template.")
    var name: String
}

struct TemplateShowCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a template's file.",
        discussion: """
            EXAMPLES:
              hablare template show translate
            """)

    @OptionGroup var template: TemplateName

    func run(in composition: Composition) async throws -> CommandStatus {
        let text = try TemplateFolder(in: composition).text(template.name).text
        try await composition.console.print(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        return .success
    }
}

struct TemplateSetCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Make a template.",
        usage: "hablare template set <name> [<prompt>] [<options>]",
        discussion: """
            EXAMPLES:
              hablare template set commit 'Write a commit message for this diff.' -m gpt-6-luna
              hablare template set translate -s 'Translate into {language}.' -p language=English
              hablare template set person 'Who is meant? {input}' --schema person.json --replace

            In the prompt, {input} stands for the prompt of the command line together with the piped input. If a \
            template has no {input}, the input goes before the prompt of the template. Every other name in braces is a \
            placeholder. Give its value with -p of `hablare generate`, or give a default with -p here. A name in \
            double braces is not replaced.
            """)

    @OptionGroup var template: TemplateName

    @Argument(help: "The prompt. With -, the prompt is read from standard input.")
    var prompt: String?

    @Option(name: [.short, .long], help: "Instructions for a language model. They apply to the whole conversation.")
    var system: String?

    @Option(help: "The provider.")
    var provider: String?

    @Option(name: [.short, .long], help: "The model.")
    var model: String?

    @Option(help: ArgumentHelp("A parameter of the provider. Can be repeated.", valueName: "name=value"))
    var parameter: [ParameterOption] = []

    @Option(
        help: ArgumentHelp(
            """
            A file with a JSON schema. The template stores the path of the file, not its content.
            """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Option(
        name: [.customShort("p"), .long],
        help: ArgumentHelp("The default of a placeholder. Can be repeated.", valueName: "name=value"))
    var placeholder: [PlaceholderValue] = []

    @Flag(help: "Replace an existing template of this name.")
    var replace = false

    func validate() throws {
        guard prompt != nil || system != nil else {
            throw ValidationError("A template needs a prompt, or instructions with --system.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let file = try TemplateFolder(in: composition).file(template.name)
        var draft = PromptTemplate.Draft(
            system: system, provider: provider, model: model, parameters: parameter, defaults: placeholder)
        if let prompt { draft.prompt = try InputText.one(prompt, what: "prompt", in: composition) }
        if let schema {
            let url = composition.url(schema)
            _ = try SchemaFile.schema(url)
            draft.schema = url.path
        }
        let text = try draft.yaml()
        let made = try PromptTemplate(YAMLText(text: text, url: file))
        guard made.system == draft.system, made.prompt == draft.prompt else {
            throw CommandFailure(
                .badInput, "The text has characters that YAML cannot keep. Use: hablare template edit \(template.name)")
        }
        try OwnFile.change(file) {
            guard replace || !FileManager.default.fileExists(atPath: file.path) else {
                throw CommandFailure(
                    .usage,
                    "There is a template \(template.name). Pass --replace to replace it, or run: hablare template edit \(template.name)"
                )
            }
            return text
        }
        try await composition.console.print("wrote \(file.path)")
        return .success
    }
}

struct TemplateEditCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit or create a template in $VISUAL or $EDITOR.",
        discussion: """
            EXAMPLES:
              hablare template edit translate

            The file is checked when the editor ends. If the file is invalid, your text is kept, and the message says \
            where the error is.
            """)

    @OptionGroup var template: TemplateName

    func run(in composition: Composition) async throws -> CommandStatus {
        let folder = try TemplateFolder(in: composition)
        let file = try folder.file(template.name)
        if !FileManager.default.fileExists(atPath: file.path) { try OwnFile.change(file) { Self.beginning } }
        try await composition.edit(file, again: ShellWords.joined(["hablare", "template", "edit", template.name])) {
            _ = try folder.template(template.name)
        }
        composition.console.note("\(file.path) is valid. To use it: hablare generate -t \(template.name)")
        return .success
    }

    private static let beginning = """
        # system: Answer in {language}.
        prompt: |
          {input}
        # provider: openai
        # model: gpt-6-luna
        # parameters: {temperature: 0.5}
        # schema: answer.json
        # defaults: {language: English}

        """
}

struct TemplateRemoveCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a template.",
        discussion: """
            EXAMPLES:
              hablare template rm translate
            """)

    @OptionGroup var template: TemplateName

    func run(in composition: Composition) async throws -> CommandStatus {
        let file = try TemplateFolder(in: composition).existing(template.name)
        do {
            try FileSystem.remove(file.path)
        } catch {
            throw CommandFailure(.inputOutput, "\(file.path) cannot be removed: \(error.reason)")
        }
        try await composition.console.print("removed \(file.path)")
        return .success
    }
}
