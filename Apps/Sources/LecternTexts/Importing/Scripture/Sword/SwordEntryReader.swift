/// Splits the output of `mod2imp` into entries: a line `$$$KEY`, then lines of content.
struct SwordEntryReader {
    /// The largest entry, in bytes.
    static let entryLimit = 8 << 20

    /// An entry of a module.
    struct Entry: Equatable {
        /// The key, such as `Genesis 1:1`.
        var key: String
        /// The content, as the module has it.
        var content: [UInt8]
    }

    private let source: () throws -> [UInt8]?
    private var buffer: [UInt8] = []
    private var position = 0
    private var atEnd = false
    private var key: String?

    init(source: @escaping () throws -> [UInt8]?) { self.source = source }

    /// Returns the next entry, or `nil` at the end. Lines before the first key are left out.
    mutating func next() throws -> Entry? {
        var content: [UInt8] = []
        while let line = try nextLine() {
            if line.starts(with: "$$$".utf8) {
                let ended = key
                key = String(decoding: line.dropFirst(3).prefix(512), as: UTF8.self)
                if let ended { return Entry(key: ended, content: content) }
            } else if key != nil {
                if !content.isEmpty { content.append(0x0A) }
                content += line
                guard content.count <= Self.entryLimit else {
                    throw TextImportError(.tooLarge, "An entry is larger than 8 MB. The module is damaged.", place: key)
                }
            }
        }
        defer { key = nil }
        return key.map { Entry(key: $0, content: content) }
    }

    private mutating func nextLine() throws -> ArraySlice<UInt8>? {
        var searched = position
        while true {
            if let end = buffer.index(of: 0x0A, from: searched) {
                defer { position = end + 1 }
                return buffer[position..<end]
            }
            searched = buffer.count
            if buffer.count - position > Self.entryLimit {
                throw TextImportError(.tooLarge, "An entry is larger than 8 MB. The module is damaged.", place: key)
            }
            guard !atEnd, let piece = try source() else {
                atEnd = true
                guard position < buffer.count else { return nil }
                defer { position = buffer.count }
                return buffer[position...]
            }
            searched -= position
            buffer.removeSubrange(..<position)
            position = 0
            buffer += piece
        }
    }
}

/// A key of a Bible in SWORD, such as `I Samuel 3:16`.
struct SwordKey: Equatable {
    /// The name of the book.
    let book: String
    /// The chapter; 0 is the introduction of the book.
    let chapter: Int
    /// The verse; 0 is the introduction of the chapter.
    let verse: Int

    /// Parses a key; `nil` if it is none of a verse, such as `[ Module Heading ]`.
    init?(_ text: String) {
        guard let space = text.lastIndex(of: " ") else { return nil }
        let numbers = text[text.index(after: space)...].split(separator: ":")
        guard numbers.count == 2, let chapter = Int(numbers[0]), let verse = Int(numbers[1]), chapter >= 0, verse >= 0,
            chapter < 10_000, verse < 10_000
        else { return nil }
        (book, self.chapter, self.verse) = (String(text[..<space]), chapter, verse)
    }
}
