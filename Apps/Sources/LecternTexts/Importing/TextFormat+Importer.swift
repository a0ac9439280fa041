extension TextFormat {
    /// Creates the importer of a file or a folder with this format.
    ///
    /// `scripture` describes a translation; it defaults to a description made of the file's name. Importers of books
    /// take the description from the book itself.
    public func importer(of path: String, as scripture: TextDescription? = nil) throws -> any TextImporting {
        let source = BookSource(path: path)
        switch self {
        case .bibleLines: return BibleLinesImporter(.file(path), as: scripture ?? BibleLinesImporter.kingJames)
        case .plainText: return PlainTextImporter(source)
        case .markdown: return MarkdownImporter(source)
        case .epub: return EPUBImporter(source)
        case .osis, .usfm, .usx:
            throw TextImportError(.unknownFormat, "\(path) is \(rawValue.uppercased()), which is not read yet.")
        }
    }
}
