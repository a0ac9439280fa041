import Foundation
import Logging
import SiftCore
import Testing

@testable import SiftWeb

@MainActor @Suite("The desk over a library")
struct LibraryDeskTests {
    /// Opens Sift over a folder with files, and removes both afterwards.
    private func withDesk(_ names: [String], _ body: (SiftApplication, URL) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "sift-\(UUID().uuidString)")
        defer { removeFolder(root) }
        let photos = root.appending(path: "photos")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        for name in names { try Data(name.utf8).write(to: photos.appending(path: name)) }
        let application = try await SiftApplication.open(
            SiftApplication.Locations(
                data: root.appending(path: "data"), photos: photos.path, trash: root.appending(path: "Trash").path),
            imaging: NoImaging(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await LibraryScanner(database: application.database).scan(application.library)
        try await application.desk.prepare()
        try await body(application, photos)
    }

    private func photos(_ desk: LibraryDesk) async throws -> [Photo] {
        try await desk.photos(.all, after: nil, limit: 100)
    }

    @Test("Decisions of one command are one step: one undo takes all of them back") func undoesSteps() async throws {
        try await withDesk(["a.jpg", "b.jpg", "c.jpg"]) { application, _ in
            let desk = application.desk
            let all = try await photos(desk)
            try await desk.decide([
                DecisionRequest(all[0], kind: .trash), DecisionRequest(all[1], kind: .trash),
                DecisionRequest(all[2], kind: .keep),
            ])
            #expect(desk.deck.current == nil)
            #expect(desk.progress.counts.undecided == 0)
            try await desk.undo(try #require(desk.deck.undo?.decision))
            #expect(desk.progress.counts.undecided == 3)
            #expect(desk.deck.current?.id == all[0].id)
        }
    }

    @Test("An old decision is not made again beside a newer one about the photo") func refusesOldDecisions()
        async throws
    {
        try await withDesk(["a.jpg", "b.jpg"]) { application, _ in
            let desk = application.desk
            let photo = try await photos(desk)[0]
            let first = DecisionRequest(photo, kind: .favourite)
            try await desk.decide([first])
            try await desk.undo(first.id)
            #expect(try await desk.history(nil, before: .max, limit: 10).map(\.isOpen) == [true])
            try await desk.decide([DecisionRequest(photo, kind: .keep)])
            let error = await #expect(throws: PhotoProcessingError.self) { try await desk.redo(first.id) }
            #expect(error?.code == .alreadyDecided)
            #expect(try await desk.photo(photo.id)?.decision == .keep)
            #expect(try await desk.history(nil, before: .max, limit: 10).map(\.isOpen) == [false, false])
        }
    }

    @Test("The setting of the review applies at once") func setsReview() async throws {
        try await withDesk(["a.jpg"]) { application, _ in
            #expect(!application.desk.queue.waitsForReview)
            try await application.desk.setReview(true)
            #expect(application.desk.queue.waitsForReview)
        }
    }

    @Test("The card is narrowed to a selection, and back") func selects() async throws {
        try await withDesk(["a.jpg", "b.jpg", "c.jpg"]) { application, _ in
            let desk = application.desk
            let all = try await photos(desk)
            try await desk.select(Selection(filter: .among([all[2].id]), text: "One", query: "x"))
            #expect(desk.deck.current?.id == all[2].id && desk.deck.ahead.isEmpty)
            try await desk.decide([DecisionRequest(all[2], kind: .keep)])
            let state = desk.deckState(SiftSettings())
            #expect(state.message?.title == "This selection is decided")
            try await desk.select(nil)
            #expect(desk.deck.current?.id == all[0].id && desk.deck.ahead.map(\.id) == [all[1].id])
        }
    }
}
