import Foundation
import LecternTexts

/// Writes the blocks of a chapter as compact bytes, and reads them for a page.
///
/// The first byte is the version of the format. Readers of a newer version read all older ones.
enum ChapterCodec {
    private static let version: UInt8 = 1

    static func data(of blocks: [Block]) -> Data {
        var writer = ByteWriter()
        writer.write(UInt64(version))
        writer.write(blocks) { $0.write($1) }
        return Data(writer.bytes)
    }

    /// Reads the blocks of a chapter.
    ///
    /// - Throws: ``ReadingError`` with code `damaged`.
    static func blocks(of data: Data) throws(ReadingError) -> [Block] {
        do {
            return try data.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                guard try reader.byte() == version else { throw ByteReader.Damage() }
                let blocks = try reader.array { try $0.block() }
                guard reader.isAtEnd else { throw ByteReader.Damage() }
                return blocks
            }
        } catch {
            throw ReadingError(.damaged, "This chapter is damaged in the store. Import the text again.")
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ block: Block) {
        switch block.kind {
        case .paragraph: write(0)
        case .continuation: write(1)
        case .heading(let level):
            write(2)
            write(level)
        case .canonicalTitle: write(3)
        case .poetry(let indent):
            write(4)
            write(indent)
        case .stanzaBreak: write(5)
        case .quotation: write(6)
        case .listItem(let level, let marker):
            write(7)
            write(level)
            write(marker)
        case .preformatted: write(8)
        case .tableRow: write(9)
        case .rule: write(10)
        }
        write(block.fragments) { $0.write($1) }
    }

    private mutating func write(_ fragment: Fragment) {
        write(fragment.verse) { $0.write($1) }
        write(fragment.label) { $0.write($1) }
        write(fragment.inlines) { $0.write($1) }
    }

    private mutating func write(_ inline: Inline) {
        switch inline {
        case .text(let text, let style) where style.isEmpty:
            write(0)
            write(text)
        case .text(let text, let style):
            write(1)
            write(style.rawValue)
            write(text)
        case .lineBreak: write(2)
        case .note(let note):
            write(3)
            write(note.kind == .footnote ? 0 : 1)
            write(note.mark) { $0.write($1) }
            write(note.inlines) { $0.write($1) }
            write(note.references) { $0.write($1) }
        }
    }

    private mutating func write(_ reference: Reference) {
        write(reference.book.rawValue)
        write(reference.places) { writer, places in
            for place in [places.lowerBound, places.upperBound] {
                writer.write(place.chapter)
                writer.write(place.verse) { $0.write($1) }
            }
        }
    }
}

extension ByteReader {
    /// The number of notes within notes that are read. The writer's type allows any number.
    private static let deepestNote = 8

    fileprivate mutating func block() throws -> Block {
        let kind: Block.Kind =
            switch try number() {
            case 0: .paragraph
            case 1: .continuation
            case 2: .heading(level: try number())
            case 3: .canonicalTitle
            case 4: .poetry(indent: try number())
            case 5: .stanzaBreak
            case 6: .quotation
            case 7: .listItem(level: try number(), marker: try string())
            case 8: .preformatted
            case 9: .tableRow
            case 10: .rule
            default: throw Damage()
            }
        return Block(kind, try array { try $0.fragment() })
    }

    private mutating func fragment() throws -> Fragment {
        Fragment(
            verse: try optional { try $0.number() }, label: try optional { try $0.string() },
            try array { try $0.inline(depth: 0) })
    }

    private mutating func inline(depth: Int) throws -> Inline {
        guard depth < Self.deepestNote else { throw Damage() }
        switch try number() {
        case 0: return .text(try string(), [])
        case 1:
            let style = TextStyle(rawValue: try number())
            return .text(try string(), style)
        case 2: return .lineBreak
        case 3:
            let kind: Note.Kind = try number() == 0 ? .footnote : .crossReference
            return .note(
                Note(
                    kind, mark: try optional { try $0.string() }, try array { try $0.inline(depth: depth + 1) },
                    references: try array { try $0.reference() }))
        default: throw Damage()
        }
    }

    private mutating func reference() throws -> Reference {
        let book = BookID(rawValue: try string())
        let places: ClosedRange<Reference.Place>? = try optional { reader in
            let first = Reference.Place(try reader.number(), try reader.optional { try $0.number() })
            let last = Reference.Place(try reader.number(), try reader.optional { try $0.number() })
            guard first <= last else { throw Damage() }
            return first...last
        }
        return Reference(book, places)
    }
}
