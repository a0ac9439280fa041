public import Foundation

/// Imports a Bible from USX 3: one file, or a folder or zip archive of files (`*.usx`), which are read in
/// canonical order.
public struct USXImporter: TextImporting {
    private static let source = ScriptureFiles(endings: [".usx"], format: "USX")
    private let url: URL
    private let text: TextDescription

    /// Creates an importer of a file, a folder or a zip archive.
    ///
    /// - Parameter text: The description. USX says nothing about the text as a whole.
    public init(_ url: URL, text: TextDescription) {
        self.url = url
        self.text = text
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        let files = try Self.source.files(of: url, code: code)
        var composer = USXComposer(text.withDirectionOfLanguage)
        for file in files {
            let reader = MarkupReader(document: try file.open())
            let prefix = files.count > 1 ? "\(file.name), " : ""
            var isUSX = false
            while let token = try reader.next() {
                if !isUSX, case .start(let tag) = token {
                    guard tag.name == "usx" || tag.name == "usfm" else { throw notUSX(tag.name, file) }
                    isUSX = true
                }
                composer.handle(token)
                if composer.composer.builder.needsDrain {
                    composer.composer.builder.place = "\(prefix)line \(reader.line)"
                    try drain(&composer, receive)
                }
            }
            composer.composer.endParagraph()
        }
        try composer.composer.builder.end()
        try drain(&composer, receive)
    }

    private func notUSX(_ name: String, _ file: ScriptureFiles.File) -> TextImportError {
        TextImportError(
            .unknownFormat, "The file's root element is '\(name)', not 'usx'. Choose a file of USX.",
            place: file.name)
    }

    /// Returns the code of the first book.
    private func code(_ file: ScriptureFiles.File) throws -> String? {
        let reader = MarkupReader(document: try file.open())
        for _ in 0..<8 {
            if case .start(let tag)? = try reader.next(), tag.name == "book" { return tag.attribute("code") }
        }
        return nil
    }

    private func drain(_ composer: inout USXComposer, _ receive: (TextPart) throws -> Void) throws {
        for part in try composer.composer.builder.takeParts() {
            try Task.checkCancellation()
            try receive(part)
        }
    }
}
