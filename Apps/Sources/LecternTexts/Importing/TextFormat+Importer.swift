import Foundation

extension TextFormat {
    /// Creates the importer of a file or a folder with this format.
    ///
    /// `scripture` describes a translation; it defaults to a description made of the file's name. Importers of books
    /// take the description from the book itself.
    public func importer(of path: String, as scripture: TextDescription? = nil) -> any TextImporting {
        let source = BookSource(path: path)
        let url = URL(filePath: path)
        var unnamed = source.description()
        unnamed.kind = .scripture
        switch self {
        case .bibleLines: return BibleLinesImporter(.file(path), as: scripture ?? BibleLinesImporter.kingJames)
        case .plainText: return PlainTextImporter(source)
        case .markdown: return MarkdownImporter(source)
        case .epub: return EPUBImporter(source)
        case .osis: return OSISImporter(url, text: scripture ?? unnamed)
        case .usfm: return USFMImporter(url, text: scripture ?? unnamed)
        case .usx: return USXImporter(url, text: scripture ?? unnamed)
        }
    }
}
