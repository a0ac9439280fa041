import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct PromptOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "Instructions for a language model. They apply to the whole conversation.")
    var system: String?

    @Option(
        help: ArgumentHelp(
            "Add a picture to the prompt: PNG, JPEG, WebP or GIF. Can be repeated.", valueName: "file"),
        completion: .file())
    var image: [String] = []

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            """
            A file that the model reads with the prompt: a text, a picture, a PDF or a recording. The type of the file \
            is detected from its content, not from its name. Instead of a file, you can give the https:// address of a \
            picture or a PDF. Can be repeated.
            """, valueName: "file"),
        completion: .file())
    var file: [String] = []

    /// Returns the prompts of several inputs. All prompts have the same files, which are read once.
    func prompts(
        _ inputs: [PromptInput], for installed: InstalledProvider, in composition: Composition
    ) throws -> [Prompt] {
        let hasAttachment = inputs.contains { $0.attachment != nil }
        guard system != nil || !image.isEmpty || !file.isEmpty || hasAttachment else {
            return inputs.map { .text($0.text) }
        }
        guard installed.isLanguageModel else {
            guard system != nil || !image.isEmpty || !file.isEmpty else {
                throw CommandFailure(
                    .usage, "Provider \(installed.name) accepts only text, and standard input is no text. Pipe text in."
                )
            }
            let option = !image.isEmpty ? "--image" : !file.isEmpty ? "--file" : "--system"
            throw CommandFailure(
                .usage, "Provider \(installed.name) accepts only text. Leave \(option) out.")
        }
        let instructions = system.map { [Prompt.Message(role: .system, text: $0)] } ?? []
        let pictures = try image.map { try PictureFile.part(composition.url($0)) }
        let files = try file.map { try AttachedFile.part($0, in: composition) }
        return inputs.map { input in
            let parts = files + [input.attachment].compactMap(\.self) + [.text(input.text)] + pictures
            return .messages(instructions + [Prompt.Message(role: .user, parts: parts)])
        }
    }
}

extension InstalledProvider {
    var isLanguageModel: Bool {
        service != nil && [.text, .structured].contains(provider.responseType)
    }
}

/// A picture of a prompt, read from a file. Its type is detected from its content, not from its name.
enum PictureFile {
    /// The largest file: 20 MiB. Services accept less.
    static let mostBytes = 20 << 20

    static func part(_ url: URL) throws -> Prompt.Part {
        let data = try InputFile.read(url, atMost: mostBytes, what: "picture")
        guard let format = MagicBytes(data).image else {
            throw CommandFailure(
                .badInput,
                """
                The picture \(url.path) is not a PNG, JPEG, WebP or GIF file. Convert it to one of them.
                """)
        }
        return .image(Body(data), format)
    }
}
