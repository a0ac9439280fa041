/// Reads an EPUB 2 or 3: its chapters by the table of contents, with footnotes.
///
/// Scripts, styles and images are left out, and nothing is fetched. Protected books are refused.
public struct EPUBImporter: TextImporting {
    private let source: BookSource
    private let limits: EPUBArchive.Limits

    /// Creates an importer.
    public init(_ source: BookSource) { self.init(source, limits: EPUBArchive.Limits()) }

    init(_ source: BookSource, limits: EPUBArchive.Limits) {
        self.source = source
        self.limits = limits
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        let archive = try EPUBArchive(source.path, limits: limits)
        try checkProtection(archive)
        let package = try package(archive)
        guard !package.spine.isEmpty else { throw damaged("The package document names no text.", package.path) }
        let direction =
            TextDescription.Direction(language: package.language)
            ?? (package.isRightToLeft ? .rightToLeft : .leftToRight)
        let description = source.description(
            title: package.title, authors: package.authors, language: package.language, direction: direction,
            rights: package.rights)
        let titles = try titles(archive, package)
        try withoutActuallyEscaping(receive) { receive in
            try receive(.text(description))
            try receive(
                .book(BookDescription(id: .whole, name: description.title, abbreviation: description.abbreviation)))
            for address in package.refused {
                let message = "The address \(address.prefix(100)) leads out of the book, so it was left out."
                try receive(.warning(TextImportWarning(place: package.path, message: message)))
            }
            try read(archive, package, titles, receive)
        }
    }

    private func read(
        _ archive: EPUBArchive, _ package: EPUBPackage, _ titles: EPUBTitles,
        _ receive: @escaping (TextPart) throws -> Void
    ) throws {
        var chapters = EPUBChapters(receive)
        var warnings = WarningLimit()
        func warn(_ file: String, _ message: String) throws {
            if let warning = warnings.warning(TextImportWarning(place: file, message: message)) {
                try receive(.warning(warning))
            }
        }
        let store = NoteStore(archive)
        let navigation = package.navigation.nav
        var seen: Set<String> = []
        for item in package.spine where item.path.file != navigation {
            try Task.checkCancellation()
            let file = item.path.file
            guard seen.insert(file).inserted else {
                try warn(file, "The file is named twice, so it was read once.")
                continue
            }
            guard let bytes = try archive.read(file) else {
                try warn(file, "The file is missing, so its text is missing.")
                continue
            }
            let own = titles.files[file] ?? [:]
            if let title = own[""] {
                try chapters.begin(title)
            } else if titles.files.isEmpty {
                try chapters.begin(nil)
            }
            try chapters.divide()
            var reader = EPUBDocumentReader(file, titles: own) { try store.note($0) }
            try reader.read(bytes, into: &chapters)
            if reader.scripts > 0 { try warn(file, "Scripts were left out.") }
            if reader.remoteImages > 0 {
                try warn(file, "Images from outside the book were left out.")
            } else if reader.images > 0 {
                try warn(file, "Images were left out.")
            }
        }
        try chapters.end()
        if let rest = warnings.summary { try receive(.warning(rest)) }
        guard chapters.count > 0 else { throw TextImportError(.empty, "\(source.path) has no text.") }
    }

    private func package(_ archive: EPUBArchive) throws -> EPUBPackage {
        let container = "META-INF/container.xml"
        guard let bytes = try archive.read(container) else {
            throw damaged("It has no \(container), so it may be another kind of archive.", container)
        }
        var scanner = MarkupScanner(bytes)
        while let event = scanner.next() {
            guard case .start("rootfile", let attributes) = event, let address = attributes["full-path"],
                let path = EPUBPath(address, from: "")
            else { continue }
            guard let package = try archive.read(path.file) else { break }
            return EPUBPackage(package, path: path.file)
        }
        throw damaged("Its package document is missing.", container)
    }

    private func titles(_ archive: EPUBArchive, _ package: EPUBPackage) throws -> EPUBTitles {
        var titles = EPUBTitles()
        let (nav, ncx) = package.navigation
        for path in [nav, ncx] {
            guard titles.files.isEmpty, let path, let bytes = try archive.read(path) else { continue }
            titles.read(bytes, path: path)
        }
        return titles
    }

    /// Refuses a book whose text is encrypted. Fonts that are only disguised do not matter.
    private func checkProtection(_ archive: EPUBArchive) throws {
        guard let bytes = try archive.read("META-INF/encryption.xml") else { return }
        var scanner = MarkupScanner(bytes)
        while let event = scanner.next() {
            guard case .start("encryptionmethod", let attributes) = event else { continue }
            let method = attributes["Algorithm"] ?? ""
            if method != "http://www.idpf.org/2008/embedding" && method != "http://ns.adobe.com/pdf/enc#RC" {
                throw TextImportError(
                    .locked, "\(source.path) is protected. Import a copy without protection.",
                    place: "META-INF/encryption.xml",
                    cause: String(method.prefix(200)))
            }
        }
    }

    private func damaged(_ problem: String, _ place: String) -> TextImportError {
        TextImportError(.damaged, "\(source.path) is no complete EPUB. \(problem)", place: place)
    }

    /// Shares the notes between the documents of a book.
    private final class NoteStore {
        private let archive: EPUBArchive
        private var notes = EPUBNotes()

        init(_ archive: EPUBArchive) { self.archive = archive }

        func note(_ path: EPUBPath) throws -> [Inline]? { try notes.note(path) { try archive.read($0) } }
    }
}
