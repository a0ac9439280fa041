public import Foundation

/// Imports a Bible from USFM: one file, or a folder or zip archive of files, which are read in canonical order.
public struct USFMImporter: TextImporting {
    private let url: URL
    private let text: TextDescription

    /// Creates an importer of a file, a folder or a zip archive.
    ///
    /// - Parameter text: The description. USFM says nothing about the text as a whole.
    public init(_ url: URL, text: TextDescription) {
        self.url = url
        self.text = text
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        let files = try USFMArchive.files(of: url)
        var composer = USFMComposer(text.withDirectionOfLanguage)
        for file in try sorted(files) {
            var tokenizer = USFMTokenizer(source: try file.open())
            let prefix = files.count > 1 ? "\(file.name), " : ""
            var isMarked = false
            while let token = try tokenizer.next() {
                switch token {
                case .marker(let marker):
                    if !isMarked {
                        guard marker == "id" || files.count > 1 || composer.builder.book != nil else {
                            throw notUSFM(file)
                        }
                        isMarked = true
                    }
                    composer.begin(marker)
                case .end(let marker): composer.end(marker)
                case .milestoneEnd: composer.endMilestone()
                case .text(let text):
                    if !isMarked, !text.utf8.allSatisfy({ $0 <= 0x20 }) { throw notUSFM(file) }
                    composer.append(text)
                }
                if composer.builder.needsDrain {
                    composer.builder.place = "\(prefix)line \(tokenizer.line)"
                    try drain(&composer, receive)
                }
            }
            composer.endParagraph()
            composer.builder.place = prefix + "line \(tokenizer.line)"
            if tokenizer.hasInvalidBytes {
                composer.builder.warn("The file has bytes that are not UTF-8. Each is shown as �; convert the file.")
            }
            try drain(&composer, receive)
        }
        try composer.builder.end()
        try drain(&composer, receive)
    }

    private func notUSFM(_ file: USFMArchive.File) -> TextImportError {
        TextImportError(
            .unknownFormat, "The file does not begin with '\\id'. Choose a file of USFM.", place: file.name)
    }

    /// Orders files by the book that each begins with.
    private func sorted(_ files: [USFMArchive.File]) throws -> [USFMArchive.File] {
        guard files.count > 1 else { return files }
        let places = try files.map { file in
            var tokenizer = USFMTokenizer(source: try file.open())
            guard try tokenizer.next() == .marker("id"), case .text(let text)? = try tokenizer.next() else {
                return Int.max
            }
            let code = text.prefix(8).prefix { !$0.isWhitespace }.uppercased()
            return ScriptureBook.byUSFM[code].flatMap { ScriptureBook.order[$0.osis] } ?? Int.max
        }
        return zip(places, files.indices).sorted { $0 < $1 }.map { files[$0.1] }
    }

    private func drain(_ composer: inout USFMComposer, _ receive: (TextPart) throws -> Void) throws {
        for part in try composer.builder.takeParts() {
            try Task.checkCancellation()
            try receive(part)
        }
    }
}

extension TextDescription {
    /// The description with the direction that its language has.
    var withDirectionOfLanguage: TextDescription {
        var text = self
        if ScriptureLanguage.direction(language) == .rightToLeft { text.direction = .rightToLeft }
        return text
    }
}
