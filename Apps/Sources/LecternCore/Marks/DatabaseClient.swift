import Foundation
import GRDB
import Hablare
public import HablarePersistence
import LecternTexts

/// The bookmarks, as a feature uses them: a struct of closures that a database, a preview or a failure answers.
public struct DatabaseClient: Sendable {
    /// The bookmarks, the newest first. Saving and deleting are steps of the undo history.
    public var bookmarks: RecordClient<Bookmark>

    /// Creates a client.
    public init(bookmarks: RecordClient<Bookmark>) { self.bookmarks = bookmarks }

    /// Returns a client of the person's data.
    ///
    /// - Parameters:
    ///   - data: The person's data.
    ///   - space: The numbering of new bookmarks, such as that of the text that is shown.
    public static func live(_ data: PersonalData, in space: MarkPlace.Space) -> DatabaseClient {
        let database = data.database
        return DatabaseClient(
            bookmarks: RecordClient(
                fetch: { id in try await database.read { try MarkStore().mark(id, in: $0)?.bookmark } },
                fetchAll: { try await database.read { try bookmarks(in: $0) } },
                save: { try await data.save($0, in: space) },
                delete: { try await data.deleteBookmark($0) },
                observe: { database.values { try bookmarks(in: $0) } }))
    }

    /// Returns a client of bookmarks in memory, for previews and tests.
    public static func preview(_ bookmarks: [Bookmark] = []) -> DatabaseClient {
        DatabaseClient(
            bookmarks: .preview(bookmarks) { one, other in
                (one.created, one.id.key) > (other.created, other.id.key)
            })
    }

    /// Returns a client in which every operation fails.
    public static func failing(_ error: any Error) -> DatabaseClient { DatabaseClient(bookmarks: .failing(error)) }

    @Sendable private static func bookmarks(in db: Database) throws -> [Bookmark] {
        var bookmarks: [Bookmark] = []
        var position: PagePosition? = .first
        while let current = position {
            let page = try MarkStore().page(current, of: MarkFilter(kinds: [.bookmark]), size: 500, in: db)
            bookmarks += page.marks.compactMap(\.bookmark)
            position = page.next
        }
        return bookmarks
    }
}

extension PersonalData {
    /// Adds a bookmark, or changes the one with its id. All of it is one step of the undo history.
    ///
    /// The passage of a known bookmark changes only if it begins elsewhere: a bookmark of several verses keeps them.
    fileprivate func save(_ bookmark: Bookmark, in space: MarkPlace.Space) async throws -> Bookmark {
        let osis = [bookmark.book.rawValue] + [bookmark.chapter, bookmark.verse].compactMap { $0.map(String.init) }
        guard bookmark.chapter != nil || bookmark.verse == nil,
            let reference = OSISText.reference(osis.joined(separator: "."))
        else {
            throw PersonalDataError(
                .invalid, "The passage of the bookmark is invalid. Choose a book, chapter or verse.")
        }
        let place = MarkPlace(space, reference)
        let (command, now) = (seams.makeID(), now)
        let saved = try await change(command, digest: "bookmark \(command.key)", name: "bookmark") { recorder, db in
            let known = try MarkStore().mark(bookmark.id, in: db)
            guard known == nil || known?.kind == .bookmark else { throw Self.otherMark }
            var changes: [MarkCommand.Change] = [
                .setLabel(mark: bookmark.id, label: bookmark.note, seen: nil),
                .setColour(mark: bookmark.id, colour: bookmark.colour, seen: nil),
            ]
            if let former = known?.bookmark {
                if (former.book, former.chapter, former.verse) != (bookmark.book, bookmark.chapter, bookmark.verse) {
                    changes.append(.setPlace(mark: bookmark.id, place: place, seen: nil))
                }
            } else {
                changes = [
                    .addBookmark(mark: bookmark.id, place: place, label: bookmark.note, colour: bookmark.colour)
                ]
            }
            let madeAt = known == nil ? bookmark.created : now
            for change in changes {
                var editor = MarkEditor(
                    MarkCommand(id: command, madeAt: madeAt, change), at: now, recorder: recorder, in: db)
                _ = try editor.run()
                recorder = editor.recorder
            }
            return try MarkStore().mark(bookmark.id, in: db)?.bookmark
        }
        guard let saved = saved ?? nil else { throw Self.otherMark }
        return saved
    }

    /// Removes a bookmark. Returns whether it was there.
    fileprivate func deleteBookmark(_ id: UUID) async throws -> Bool {
        let (command, now) = (seams.makeID(), now)
        return try await change(command, digest: "remove \(command.key)", name: "remove") { recorder, db in
            guard try MarkStore().mark(id, in: db)?.kind == .bookmark else { return false }
            var editor = MarkEditor(
                MarkCommand(id: command, madeAt: now, .remove(mark: id)), at: now, recorder: recorder, in: db)
            _ = try editor.run()
            recorder = editor.recorder
            return true
        } ?? false
    }

    private static let otherMark = PersonalDataError(
        .conflict, "There is another mark with the id of this bookmark. Make a new bookmark.")
}
