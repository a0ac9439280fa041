import Foundation

/// A format of a text.
public enum TextFormat: String, Hashable, Sendable, CaseIterable {
    /// Lines such as `Ge1:1 In the beginning`.
    case bibleLines
    /// A plain text.
    case plainText
    /// Markdown.
    case markdown
    /// EPUB 2 or 3.
    case epub
    /// OSIS, an XML format of scripture.
    case osis
    /// USFM: a file, a folder or a ZIP archive of files.
    case usfm
    /// USX, an XML format of scripture: a file, a folder or a ZIP archive of files.
    case usx

    /// Finds the format of a file or a folder: by its content, and where that does not tell, by its name.
    ///
    /// - Throws: ``TextImportError`` if it cannot be read, or if no importer reads it.
    public init(detecting path: String) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            do {
                self = try Self.format(ofFiles: FileManager.default.contentsOfDirectory(atPath: path), path)
            } catch let error as CocoaError {
                throw TextImportError(
                    .unreadable, "\(path) cannot be read. Check that you may read it.", cause: String(describing: error)
                )
            }
            return
        }
        let bytes = try FileSource.prefix(path, count: 8_192)
        guard !bytes.isEmpty else { throw TextImportError(.empty, "\(path) is empty.") }
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            self = try Self.format(ofFiles: EPUBArchive(path, limits: EPUBArchive.Limits()).names, path)
            return
        }
        self = try Self.format(ofText: bytes, path)
    }

    private static func format(ofFiles names: [String], _ path: String) throws -> TextFormat {
        if names.contains("META-INF/container.xml") { return .epub }
        let endings = Set(names.map(ending))
        if !endings.isDisjoint(with: ["usfm", "sfm"]) { return .usfm }
        if endings.contains("usx") { return .usx }
        throw unknown(path, "It holds neither a book nor files of USFM or USX.")
    }

    private static func format(ofText bytes: [UInt8], _ path: String) throws -> TextFormat {
        let (encoding, _) = TextDecoding.encoding(of: bytes)
        let isUTF16 = encoding == .utf16LittleEndian || encoding == .utf16BigEndian
        guard isUTF16 || !bytes.contains(0), !bytes.starts(with: Array("%PDF".utf8)) else {
            throw unknown(path, "It is no text.")
        }
        let text = TextDecoding.text(of: bytes).text
        let start = text.drop(while: \.isWhitespace)
        if start.first == "<" {
            if start.contains("<osis") { return .osis }
            if start.contains("<usx") { return .usx }
            if ending(path) != "md", ending(path) != "markdown",
                start.hasPrefix("<?xml") || start.lowercased().hasPrefix("<!doctype")
            {
                throw unknown(path, "It is an XML or HTML file of another kind.")
            }
        }
        if start.hasPrefix("\\id ") { return .usfm }
        let line = start.utf8.prefix { $0 != 0x0A }
        if let verse = BibleLine(Array(line)[...]),
            BookCatalogue.standard.entry(named: String(decoding: verse.book, as: UTF8.self)) != nil
        {
            return .bibleLines
        }
        switch ending(path) {
        case "md", "markdown", "mdown", "mkd": return .markdown
        case "txt", "text": return .plainText
        case "usfm", "sfm": return .usfm
        default: return start.hasPrefix("# ") || start.hasPrefix("---\n") ? .markdown : .plainText
        }
    }

    private static func ending(_ path: String) -> String {
        guard let dot = path.lastIndex(of: ".") else { return "" }
        return path[path.index(after: dot)...].lowercased()
    }

    private static func unknown(_ path: String, _ problem: String) -> TextImportError {
        TextImportError(
            .unknownFormat,
            "\(path) cannot be imported. \(problem) Name an EPUB, Markdown, a plain text, OSIS, USFM, USX or lines of `bible`."
        )
    }
}
