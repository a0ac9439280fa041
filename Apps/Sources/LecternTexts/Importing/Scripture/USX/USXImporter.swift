public import Foundation

/// Imports a Bible from USX 3: one file, or a folder of files (`*.usx`), which are read in canonical order.
public struct USXImporter: TextImporting {
    private let url: URL
    private let text: TextDescription

    /// Creates an importer of a file or a folder.
    ///
    /// - Parameter text: The description. USX says nothing about the text as a whole.
    public init(_ url: URL, text: TextDescription) {
        self.url = url
        self.text = text
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        let files = try sorted(files())
        var composer = USXComposer(text.withDirectionOfLanguage)
        for file in files {
            let reader = MarkupReader(.document(), source: try ByteSource.file(file))
            let prefix = files.count > 1 ? "\(file.lastPathComponent), " : ""
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

    private func notUSX(_ name: String, _ file: URL) -> TextImportError {
        TextImportError(
            .unknownFormat, "The file's root element is '\(name)', not 'usx'. Choose a file of USX.",
            place: file.lastPathComponent)
    }

    private func files() throws -> [URL] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
            return [url]
        }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw TextImportError(
                .unreadable, "The folder '\(url.lastPathComponent)' cannot be read. Check its permissions.",
                cause: String(describing: error))
        }
        let files = names.filter { $0.lowercased().hasSuffix(".usx") }.sorted().map { url.appendingPathComponent($0) }
        guard !files.isEmpty, files.count <= USFMArchive.fileLimit else {
            throw TextImportError(.unknownFormat, "The folder has no file of USX (*.usx). Choose the folder of a Bible.")
        }
        return files
    }

    /// Orders files by the book that each begins with.
    private func sorted(_ files: [URL]) throws -> [URL] {
        guard files.count > 1 else { return files }
        let places = try files.map { file in
            let reader = MarkupReader(.document(), source: try ByteSource.file(file))
            for _ in 0..<8 {
                guard case .start(let tag)? = try reader.next(), tag.name == "book" else { continue }
                let code = tag.attribute("code")?.uppercased() ?? ""
                return ScriptureBook.byUSFM[code].flatMap { ScriptureBook.order[$0.osis] } ?? Int.max
            }
            return Int.max
        }
        return zip(places, files.indices).sorted { $0 < $1 }.map { files[$0.1] }
    }

    private func drain(_ composer: inout USXComposer, _ receive: (TextPart) throws -> Void) throws {
        for part in try composer.composer.builder.takeParts() {
            try Task.checkCancellation()
            try receive(part)
        }
    }
}
