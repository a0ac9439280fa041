import AppCommand
import ArgumentParser
import Foundation
import LecternCore
import LecternTexts
import LecternWeb

/// Imports texts, or the person's data.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import texts: files, or Bibles that are installed on this machine.",
        discussion: """
            EXAMPLES:
              lectern import kjv web          the Bibles of Debian's packages bible-kjv-text and sword-text-web
              lectern import book.epub notes.md web.usfm.zip
                                              EPUB, Markdown, plain text, OSIS, USFM, USX, lines of `bible`
              lectern import spaRV1909eb      any installed SWORD module that is a Bible
              lectern import --data lectern.json
                                              marks, notes, plans and history of `lectern export`

            A text with the same id is replaced. If an import fails, the earlier text stays.
            """)

    @OptionGroup var data: DataOptions

    @Flag(help: "Leave out texts that are there already.")
    var missing = false

    @Option(help: "The id of the text in addresses. Only with one text.")
    var id: String?

    @Option(help: "The title of the text. Only with one text.")
    var title: String?

    @Option(name: .customLong("data"), help: "A file of `lectern export` to import. What is there already stays.")
    var document: String?

    @Argument(help: "Files, `kjv`, `web`, or names of SWORD modules.")
    var sources: [String] = []

    mutating func validate() throws {
        guard !sources.isEmpty || document != nil else {
            throw ValidationError("Name a file or a Bible, such as `lectern import kjv web`.")
        }
        guard id == nil && title == nil || sources.count == 1 else {
            throw ValidationError("--id and --title need exactly one text.")
        }
    }

    mutating func run() async throws {
        let command = self
        try await data.withApplication { application, _ in try await command.execute(application) }
    }

    @MainActor
    private func execute(_ application: LecternApplication) async throws {
        let known = try await application.library.texts().map(\.id)
        for source in sources {
            let name = BibleName(source)
            if missing, let id = id ?? name?.description.id, known.contains(id) {
                print("\(id): there already")
                continue
            }
            let report = try await application.library.add(from: try importer(source, name))
            let text = report.text
            let size =
                text.description.kind == .scripture
                ? "\(text.verseCount) verses" : "\(text.chapterCount) chapters"
            print("\(text.id): \(text.description.title), \(size)\(report.replacedEarlier ? ", replaced" : "")")
            for warning in report.warnings.prefix(5) {
                CommandRun.note("\(text.id), \(warning.place): \(warning.message)", of: "lectern")
            }
            if report.warningCount > 5 {
                CommandRun.note("\(text.id): \(report.warningCount - 5) more warnings.", of: "lectern")
            }
        }
        if let document {
            guard FileManager.default.isReadableFile(atPath: document) else {
                throw CommandFailure(
                    .inputMissing, "\(document) cannot be read. Check that it exists and that you may read it.")
            }
            try await application.personal.importDocument(from: URL(fileURLWithPath: document))
            print("\(document): imported")
        }
    }

    private func importer(_ source: String, _ name: BibleName?) throws -> any TextImporting {
        if FileManager.default.fileExists(atPath: source) {
            let format = try TextFormat(detecting: source)
            guard id != nil || title != nil else { return format.importer(of: source) }
            let file = URL(fileURLWithPath: source).deletingPathExtension().lastPathComponent
            return format.importer(
                of: source,
                as: TextDescription(
                    id: id ?? BibleName.id(of: file), title: title ?? file, abbreviation: title ?? file,
                    kind: .scripture, versification: "KJV"))
        }
        guard let name, !source.contains("/"), !source.contains(".") else {
            throw CommandFailure(.inputMissing, "There is no file '\(source)'. Check its name.")
        }
        return name.importer(id: id, title: title)
    }
}

/// The name of a Bible that is installed on this machine.
struct BibleName {
    /// The description, as far as it is known.
    let description: TextDescription
    private let module: String?

    /// Reads a name: `kjv`, `web`, or the name of a SWORD module. Returns `nil` for a path.
    init?(_ name: String) {
        guard !name.contains("/"), !name.isEmpty else { return nil }
        switch name.lowercased() {
        case "kjv":
            description = BibleLinesImporter.kingJames
            module = nil
        case "web":
            description = TextDescription(
                id: "web", title: "World English Bible", abbreviation: "WEB", kind: .scripture, language: "en",
                versification: "KJV", rights: "Public domain.")
            module = "engWEB2015eb"
        default:
            description = TextDescription(id: Self.id(of: name), title: "", abbreviation: "", kind: .scripture)
            module = name
        }
    }

    /// Returns an id for addresses: lower-case letters, digits and hyphens.
    static func id(of name: String) -> String {
        let text = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let parts = String(text).split(separator: "-")
        return parts.isEmpty ? "text" : parts.joined(separator: "-")
    }

    /// Returns the importer.
    func importer(id: String?, title: String?) -> any TextImporting {
        var text = description
        if let id { text.id = id }
        if let title { text.title = title }
        guard let module else { return BibleLinesImporter(.program("bible"), as: text) }
        return SwordImporter(module: module, text: text, environment: ProcessInfo.processInfo.environment)
    }
}
