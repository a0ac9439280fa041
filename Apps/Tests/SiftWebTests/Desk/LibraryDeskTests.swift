import Foundation
import HablarePersistence
import HablareTestKit
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
            try await desk.undo(try #require(desk.deck.undo?.decision), command: UUID())
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
            try await desk.undo(first.id, command: UUID())
            #expect(try await desk.history(nil, before: .max, limit: 10).map(\.isOpen) == [true])
            try await desk.decide([DecisionRequest(photo, kind: .keep)])
            let error = await #expect(throws: PhotoProcessingError.self) {
                try await desk.redo(first.id, command: UUID())
            }
            #expect(error?.code == .alreadyDecided)
            #expect(try await desk.photo(photo.id)?.decision == .keep)
            #expect(try await desk.history(nil, before: .max, limit: 10).map(\.isOpen) == [false, false])
        }
    }

    @Test("A photo of another library is neither shown nor decided") func refusesOtherLibraries() async throws {
        try await withDesk(["a.jpg"]) { application, folder in
            let other = folder.deletingLastPathComponent().appending(path: "other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try Data("b".utf8).write(to: other.appending(path: "b.jpg"))
            let library = try await application.database.write {
                try PhotoStore().addLibrary(LibraryFolder.open(other.path), at: Date(), in: $0)
            }
            try await LibraryScanner(database: application.database).scan(library)
            let found = try await application.database.read {
                try PhotoStore().photos(of: library.id, limit: 1, in: $0)
            }
            let photo = try #require(found.first)
            #expect(try await application.desk.picture(photo.id, photo.version, .thumbnail) == nil)
            let error = await #expect(throws: PhotoProcessingError.self) {
                try await application.desk.decide([DecisionRequest(photo, kind: .trash)])
            }
            #expect(error?.code == .photoGone)
            #expect(try await application.desk.photo(photo.id)?.decision == nil)
        }
    }

    @Test("Pages see what a decision changes in one piece, and the counts are those of the store")
    func publishesOnce() async throws {
        try await withDesk((0..<30).map { "\($0).jpg" }) { application, _ in
            let desk = application.desk
            for (index, photo) in try await photos(desk).enumerated() where index < 29 {
                let before = desk.deck
                let kind = [PhotoAction.Kind.keep, .trash, .favourite][index % 3]
                async let decision: Void = desk.decide([DecisionRequest(photo, kind: kind)])
                await untilTrue { desk.deck != before }
                let first = desk.deck
                try await decision
                #expect(desk.deck == first)
                #expect(first.current?.id != before.current?.id)
                #expect(first.undo?.kind == kind && first.undo != before.undo && first.redo == nil)
                #expect(first.ahead.count == min(LibraryDesk.aheadLimit, 28 - index))
                let id = application.library.id
                let counted = try await application.database.read { try PhotoStore().counts(of: id, in: $0) }
                #expect(desk.progress.counts == counted)
            }
            // A command that a page repeats changes nothing, also not the counts.
            let last = try #require(desk.deck.current)
            let request = DecisionRequest(last, kind: .keep)
            try await desk.decide([request])
            let counts = desk.progress.counts
            try await desk.decide([request])
            #expect(desk.progress.counts == counts && counts.undecided == 0)
        }
    }

    @Test("A refused decision leaves the counts, and the card shows the photo as it is") func refusesChangedPhotos()
        async throws
    {
        try await withDesk(["a.jpg", "b.jpg"]) { application, _ in
            let desk = application.desk
            let photo = try await photos(desk)[0]
            let stranger = DecisionRequest(
                id: UUID(), photo: photo.id, version: PhotoVersion(device: 1, inode: 2, size: 3, modified: 4),
                kind: .trash)
            await #expect(throws: PhotoProcessingError.self) { try await desk.decide([stranger]) }
            #expect(desk.progress.counts.undecided == 2)
            #expect(desk.deck.undo == nil)
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
