import Foundation
import LecternTexts

/// The parts that an importer delivered, for tests.
struct ImportedText {
    var text: TextDescription?
    var books: [BookDescription] = []
    var chapters: [Chapter] = []
    var warnings: [TextImportWarning] = []

    init(_ importer: some TextImporting) throws {
        var parts: [TextPart] = []
        try importer.read { parts.append($0) }
        for part in parts {
            switch part {
            case .text(let text): self.text = text
            case .book(let book): books.append(book)
            case .chapter(let chapter): chapters.append(chapter)
            case .warning(let warning): warnings.append(warning)
            }
        }
    }

    func chapter(_ id: String) -> Chapter? { chapters.first { $0.id.description == id } }

    func verses(_ id: String) -> [String] { chapter(id)?.verses.map { "\($0.label) \($0.text)" } ?? [] }

    func kinds(_ id: String) -> [Block.Kind] { chapter(id)?.blocks.map(\.kind) ?? [] }

    /// The text of a style, in order.
    func styled(_ style: TextStyle) -> [String] {
        chapters.flatMap(\.blocks).flatMap(\.fragments).flatMap(\.inlines).compactMap {
            if case .text(let text, let its) = $0, its.contains(style) { text } else { nil }
        }
    }

    var notes: [Note] {
        chapters.flatMap(\.blocks).flatMap(\.fragments).flatMap(\.inlines).compactMap {
            if case .note(let note) = $0 { note } else { nil }
        }
    }

    /// The number of ASCII letters of all blocks and notes.
    var letters: Int {
        func letters(_ inlines: [Inline]) -> Int {
            inlines.reduce(0) { sum, inline in
                switch inline {
                case .text(let text, _): sum + text.utf8.count { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
                case .note(let note): sum + letters(note.inlines)
                case .lineBreak: sum
                }
            }
        }
        return chapters.flatMap(\.blocks).flatMap(\.fragments).reduce(0) { $0 + letters($1.inlines) }
    }

    static let description = TextDescription(id: "test", title: "", abbreviation: "T", kind: .scripture)
}

/// A folder for the files of a test, which is removed at its end.
final class ImportFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("lectern-texts-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { print("left behind: \(url.path)") }
    }

    func file(_ name: String, _ content: String) throws -> URL { try file(name, Data(content.utf8)) }

    func file(_ name: String, _ content: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }
}
