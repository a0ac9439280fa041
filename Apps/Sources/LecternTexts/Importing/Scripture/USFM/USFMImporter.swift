public import Foundation

/// Imports a Bible from USFM: one file, or a folder or zip archive of files, which are read in canonical order.
public struct USFMImporter: TextImporting {
    private static let source = ScriptureFiles(
        endings: [".usfm", ".sfm", ".ptx", ".usfm.txt"], format: "USFM")
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
        let files = try Self.source.files(of: url, code: code)
        var composer = USFMComposer(text.withDirectionOfLanguage)
        for file in files {
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

    private func notUSFM(_ file: ScriptureFiles.File) -> TextImportError {
        TextImportError(
            .unknownFormat, "The file does not begin with '\\id'. Choose a file of USFM.", place: file.name)
    }

    /// Returns the code behind `\\id`.
    private func code(_ file: ScriptureFiles.File) throws -> String? {
        var tokenizer = USFMTokenizer(source: try file.open())
        guard try tokenizer.next() == .marker("id"), case .text(let text)? = try tokenizer.next() else { return nil }
        return String(text.prefix(8).prefix { !$0.isWhitespace })
    }

    private func drain(_ composer: inout USFMComposer, _ receive: (TextPart) throws -> Void) throws {
        for part in try composer.builder.takeParts() {
            try Task.checkCancellation()
            try receive(part)
        }
    }
}
