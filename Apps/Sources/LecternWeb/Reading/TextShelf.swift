import HablarePersistence
import LecternCore
import LecternTexts
import Synchronization

/// The texts that can be read, with their shapes. A shape is read once for each version of a text.
final class TextShelf: Sendable {
    let database: AppDatabase
    private let shapes = Mutex<[TextVersion: TextShape]>([:])

    init(_ database: AppDatabase) { self.database = database }

    /// Returns the texts, in the order of their first import.
    func texts() async throws -> [StoredText] { try await database.read { try TextStore().texts(in: $0) } }

    /// Returns a text.
    ///
    /// - Throws: `ReadingError` with code `no-text`.
    func text(_ id: String) async throws -> StoredText {
        try await database.read { try TextStore().requireText(id, in: $0) }
    }

    /// Returns the shape of a text.
    func shape(of text: StoredText) async throws -> TextShape {
        if let known = shapes.withLock({ $0[text.version] }) { return known }
        let shape = try await database.read { try TextStore().shape(of: text, in: $0) }
        shapes.withLock {
            if $0.count > 8 { $0.removeAll() }
            $0[text.version] = shape
        }
        return shape
    }

    /// Returns the book that an address names: by its OSIS id, or by its name in lower case.
    ///
    /// - Throws: `ReadingError` with code `no-book`.
    func book(_ name: String, of text: StoredText) async throws -> TextShape.BookShape {
        let shape = try await shape(of: text)
        let wanted = name.lowercased()
        let found =
            shape.books.first { $0.description.id.rawValue.lowercased() == wanted }
            ?? shape.books.first { Self.key($0.description.name) == Self.key(name) }
            ?? BookCatalogue.standard.entry(named: name.replacing("-", with: " ")).flatMap { shape[$0.id] }
        guard let found else {
            throw ReadingError(
                .noBook,
                "\(text.description.title) has no book \u{201C}\(name.prefix(60))\u{201D}. Choose one of its books.")
        }
        return found
    }

    private static func key(_ name: String) -> String {
        String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }
}
