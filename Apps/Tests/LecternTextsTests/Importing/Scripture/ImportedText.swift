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

/// Numbers from a seed, for fuzzing.
struct SeededBytes: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a copy of bytes with some of them changed, removed, repeated or cut off.
    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: bytes[..<place].suffix(40), at: place)
            case 3: bytes.insert([0x5C, 0x3C, 0x3E, 0x7C, 0x26, 0x2A, 0x22][place % 7], at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + 30))
            }
        }
        return bytes
    }
}
