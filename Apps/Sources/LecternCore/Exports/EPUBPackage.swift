import Foundation
import LecternTexts

/// The package document and the table of contents of an EPUB.
struct EPUBPackage: Sendable {
    struct ChapterEntry: Sendable {
        let name: String
        let title: String
        let book: BookDescription
        /// The duration of the audio; `nil` without audio.
        let milliseconds: Int?
    }

    private(set) var chapters: [ChapterEntry] = []
    private let description: TextDescription
    private let title: String
    private let identifier: String
    private let modified: Date
    private let narrator: String?

    init(_ export: TextExport, parts: [TextExport.Part], narrator: String?) {
        description = export.text.description
        title = export.title(parts)
        identifier = export.identifier
        // The time of the import and not of the export, so that the same text gives the same bytes.
        modified = export.text.importedAt
        self.narrator = narrator
    }

    mutating func add(_ name: String, title: String, in book: BookDescription, milliseconds: Int?) {
        chapters.append(ChapterEntry(name: name, title: title, book: book, milliseconds: milliseconds))
    }

    static let container = """
        <?xml version="1.0" encoding="UTF-8"?>
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
        <rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
        </container>

        """

    /// The package document.
    var document: String {
        func escaped(_ text: String) -> String { MarkupText.escaped(text) }
        let direction = description.direction == .rightToLeft ? " page-progression-direction=\"rtl\"" : ""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
            <dc:identifier id="id">\(escaped(identifier))</dc:identifier>
            <dc:title>\(escaped(title))</dc:title>
            <dc:language>\(escaped(description.language))</dc:language>
            \(description.authors.map { "<dc:creator>\(escaped($0))</dc:creator>\n" }.joined())\
            \(description.rights.isEmpty ? "" : "<dc:rights>\(escaped(description.rights))</dc:rights>\n")\
            <meta property="dcterms:modified">\(Self.timestamp(modified))</meta>
            \(overlayMetadata)\
            </metadata>
            <manifest>
            <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            <item id="style" href="style.css" media-type="text/css"/>
            \(chapters.map(Self.items).joined())\
            </manifest>
            <spine\(direction)>
            \(chapters.map { "<itemref idref=\"t-\($0.name)\"/>\n" }.joined())\
            </spine>
            </package>

            """
    }

    private var overlayMetadata: String {
        let total = chapters.reduce(0) { $0 + ($1.milliseconds ?? 0) }
        guard let narrator, total > 0 else { return "" }
        let durations = chapters.compactMap { chapter in
            chapter.milliseconds.map {
                "<meta property=\"media:duration\" refines=\"#o-\(chapter.name)\">\(ClockText.of($0))</meta>\n"
            }
        }
        return """
            <meta property="media:duration">\(ClockText.of(total))</meta>
            <meta property="media:narrator">\(MarkupText.escaped(narrator))</meta>
            <meta property="media:active-class">heard</meta>
            \(durations.joined())
            """
    }

    private static func items(_ chapter: ChapterEntry) -> String {
        let name = chapter.name
        let overlay = chapter.milliseconds == nil ? "" : " media-overlay=\"o-\(name)\""
        let page =
            "<item id=\"t-\(name)\" href=\"text/\(name).xhtml\" media-type=\"application/xhtml+xml\"\(overlay)/>\n"
        guard chapter.milliseconds != nil else { return page }
        return page + """
            <item id="o-\(name)" href="overlays/\(name).smil" media-type="application/smil+xml"/>
            <item id="a-\(name)" href="audio/\(name).opus" media-type="audio/ogg; codecs=opus"/>

            """
    }

    /// The table of contents: books with their chapters, or only chapters if there is one book.
    var navigation: String {
        let language = MarkupText.escaped(description.language)
        var books: [(book: BookDescription, chapters: [ChapterEntry])] = []
        for chapter in chapters {
            if books.last?.book.id == chapter.book.id {
                books[books.count - 1].chapters.append(chapter)
            } else {
                books.append((chapter.book, [chapter]))
            }
        }
        func links(_ chapters: [ChapterEntry]) -> String {
            chapters.map { "<li><a href=\"text/\($0.name).xhtml\">\(MarkupText.escaped($0.title))</a></li>\n" }.joined()
        }
        let list =
            books.count == 1
            ? links(chapters)
            : books.map {
                "<li><span>\(MarkupText.escaped($0.book.name))</span>\n<ol>\n\(links($0.chapters))</ol></li>\n"
            }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE html>
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="\(language)" \
            xml:lang="\(language)" dir="\(description.direction.rawValue)">
            <head><title>\(MarkupText.escaped(title))</title></head>
            <body><nav epub:type="toc"><h1>\(MarkupText.escaped(title))</h1>
            <ol>
            \(list)</ol></nav></body>
            </html>

            """
    }

    private static func timestamp(_ date: Date) -> String {
        let whole = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        return whole.formatted(.iso8601)
    }
}
