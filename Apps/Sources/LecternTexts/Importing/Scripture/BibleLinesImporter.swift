public import Foundation

/// Reads lines such as `Ge1:1 In the beginning …`, as Debian's `bible -f` prints them.
///
/// Books and chapters keep their order. A line that is no verse, or that repeats one, is left out with a warning.
public struct BibleLinesImporter: TextImporting {
    /// A place of the lines.
    public enum Source: Hashable, Sendable {
        /// A file.
        case file(String)
        /// The output of the program `bible`, by its name or path, for the whole Bible.
        case program(String)
    }

    /// The arguments with which the program prints the whole Bible.
    static let wholeBible = ["-f", "Gen1:1-Rev22:21"]

    private let source: Source
    private let description: TextDescription
    private let environment: [String: String]

    /// The description of the King James Version, which is the text of Debian's `bible-kjv-text`.
    public static let kingJames = TextDescription(
        id: "kjv", title: "King James Version", abbreviation: "KJV", kind: .scripture, language: "en",
        versification: "KJV", rights: "Public domain, except in the United Kingdom.")

    /// Creates an importer.
    ///
    /// - Parameter environment: The environment in which the program is found and runs. Defaults to that of this process.
    public init(
        _ source: Source, as description: TextDescription = BibleLinesImporter.kingJames,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.source = source
        self.description = description
        self.environment = environment
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        switch source {
        case .file(let path): try read(FileSource.pieces(of: path), receive) {}
        case .program(let program):
            let output = try ProgramOutput(
                program, Self.wholeBible, environment: environment, package: "bible-kjv")
            defer { output.stop() }
            try read(output.next, receive) {
                let end = try output.finish()
                guard !end.succeeded else { return }
                throw TextImportError(
                    .toolFailed,
                    "\(program) failed. Run `\(program) \(Self.wholeBible.joined(separator: " "))` to see why.",
                    cause: end.messages)
            }
        }
    }

    private func read(
        _ source: @escaping () throws -> [UInt8]?, _ receive: (TextPart) throws -> Void, check: () throws -> Void
    ) throws {
        var reader = BibleLinesReader(description)
        try ByteLines(source: source).forEach { try reader.read($0, $1, receive) }
        try check()
        try reader.finish(receive)
    }
}

/// Joins the lines to chapters.
struct BibleLinesReader {
    private let description: TextDescription
    private var started = false
    private var seen: Set<BookID> = []
    private var book: BookID?
    private var abbreviation: ArraySlice<UInt8> = []
    private var chapter: Int?
    private var lastChapter = 0
    private var lastVerse = 0
    private var blocks: [Block] = []
    private var warnings = WarningLimit()

    init(_ description: TextDescription) { self.description = description }

    mutating func read(_ line: ArraySlice<UInt8>, _ number: Int, _ receive: (TextPart) throws -> Void) throws {
        var line = line
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        guard line.contains(where: { !$0.isASCIISpace }) else { return }
        guard let verse = BibleLine(line) else {
            if !started { throw Self.noLines(number) }
            try warn("The line is no verse, so it was left out.", number, receive)
            return
        }
        if verse.book != abbreviation || book == nil {
            guard let entry = BookCatalogue.standard.entry(named: String(decoding: verse.book, as: UTF8.self)) else {
                if !started { throw Self.noLines(number) }
                let name = String(decoding: verse.book.prefix(40), as: UTF8.self)
                try warn("The book \(name) is not known, so the line was left out.", number, receive)
                return
            }
            if entry.id != book {
                guard !seen.contains(entry.id) else {
                    try warn("\(entry.name) goes on after another book, so the line was left out.", number, receive)
                    return
                }
                try flush(receive)
                if !started { try receive(.text(description)) }
                started = true
                seen.insert(entry.id)
                book = entry.id
                lastChapter = 0
                try receive(.book(entry.description))
            }
            abbreviation = ArraySlice(Array(verse.book))
        }
        if verse.chapter != chapter {
            guard verse.chapter > lastChapter else {
                try warn("The chapter is out of order, so the line was left out.", number, receive)
                return
            }
            try flush(receive)
            chapter = verse.chapter
            lastChapter = verse.chapter
            lastVerse = 0
        }
        guard verse.verse > lastVerse else {
            try warn("The verse is there twice or out of order, so the line was left out.", number, receive)
            return
        }
        lastVerse = verse.verse
        let (text, isRepaired) = verse.cleanText
        if isRepaired {
            try warn("The line is not valid UTF-8. Bytes were replaced.", number, receive)
        }
        blocks.append(
            Block(.paragraph, [Fragment(verse: verse.verse, label: String(verse.verse), [.text(text)])]))
    }

    mutating func finish(_ receive: (TextPart) throws -> Void) throws {
        guard started else {
            throw TextImportError(.empty, "There are no verses. Check that this is the file that you meant.")
        }
        try flush(receive)
        if let rest = warnings.summary { try receive(.warning(rest)) }
    }

    private mutating func flush(_ receive: (TextPart) throws -> Void) throws {
        try Task.checkCancellation()
        if let book, let chapter, !blocks.isEmpty {
            try receive(.chapter(Chapter(ChapterID(book, chapter), blocks: blocks)))
        }
        blocks.removeAll()
        chapter = nil
    }

    private mutating func warn(_ message: String, _ line: Int, _ receive: (TextPart) throws -> Void) throws {
        if let warning = warnings.warning(TextImportWarning(place: "line \(line)", message: message)) {
            try receive(.warning(warning))
        }
    }

    private static func noLines(_ number: Int) -> TextImportError {
        TextImportError(
            .damaged, "The file does not begin with a verse such as `Ge1:1 In the beginning`.", place: "line \(number)")
    }
}
