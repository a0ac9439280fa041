import Foundation
import GRDB
import HablarePersistence
import Synchronization
import Testing

@testable import SiftCore

struct LibraryScanTests {
    private func names(_ store: TestStore) async throws -> [String] {
        try await store.photos().map(\.principal.path.description)
    }

    @Test func findsShotsInAllFolders() async throws {
        let store = try await TestStore("a.jpg", "a.cr2", "d/b.png", "d/e/c.heic", "notes.txt", ".hidden/x.jpg")
        #expect(try await names(store) == ["a.jpg", "d/b.png", "d/e/c.heic"])
        #expect(try await store.photo("a.jpg").files.map(\.role) == [.jpeg, .raw])
        let again = try await store.scan()
        #expect(again.added == 0 && again.changed == 0 && again.lost == 0 && again.isComplete)
    }

    @Test func showsTheFirstPhotosBeforeTheScanEnds() async throws {
        let store = try await TestStore()
        for index in 0..<200 { try store.test.add("\(index % 4)/\(index).jpg") }
        let seen = Mutex<[Int]>([])
        let (database, id) = (store.database, store.library.id)
        try await store.scanner.scan(store.library) { progress in
            guard !progress.isComplete else { return }
            do {
                let count = try await database.read { try PhotoStore().counts(of: id, in: $0).undecided }
                seen.withLock { $0.append(count) }
            } catch { Issue.record(error) }
        }
        #expect(seen.withLock { $0.first } == LibraryScanner.firstBatch)
        #expect(try await store.photos().count == 200)
    }

    @Test func losesNothingWhereTheMountPointOfAVolumeIsEmpty() async throws {
        let store = try await TestStore("a.jpg")
        // The volume was another device than that of its mount point.
        try await store.database.write { try $0.execute(sql: "UPDATE library SET device = device + 1") }
        try FileManager.default.removeItem(at: store.test.photos.appending(path: "a.jpg"))
        let error = await #expect(throws: PhotoProcessingError.self) { try await store.scan() }
        #expect(error?.code == .needsNetwork)
        #expect(try await store.photo("a.jpg").state == .present)
    }

    @Test func forgetsTheDecisionAboutAPhotoThatWasWrittenAnew() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.processor().decide(DecisionRequest(photo, kind: .keep), session: store.session)
        try store.test.writeInPlace("a.jpg", "another picture")
        try await store.scan()
        let now = try await store.photo("a.jpg")
        #expect(now.id == photo.id && now.decision == nil)
    }

    @Test func keepsTheNumberAndTheMarksOfARenamedPhoto() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let before = try await store.photo("a.jpg")
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(before, kind: .rating, rating: 4), session: store.session)
        let manager = FileManager.default
        try manager.createDirectory(at: store.test.photos.appending(path: "new"), withIntermediateDirectories: true)
        try manager.moveItem(
            at: store.test.photos.appending(path: "a.jpg"), to: store.test.photos.appending(path: "new/z.jpg"))
        let progress = try await store.scan()
        #expect(progress.changed == 1 && progress.added == 0 && progress.lost == 0)
        let after = try await store.photo("new/z.jpg")
        #expect(after.id == before.id && after.marks.rating == 4)
    }

    @Test func seesAReplacedPhotoAsAnotherOne() async throws {
        let store = try await TestStore("a.jpg")
        let before = try await store.photo("a.jpg")
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(before, kind: .keep), session: store.session)
        try store.test.add("other.jpg", "a stranger")
        #expect(
            rename(
                store.test.photos.appending(path: "other.jpg").path, store.test.photos.appending(path: "a.jpg").path)
                == 0)
        try await store.scan()
        let after = try await store.photo("a.jpg")
        #expect(after.id != before.id && after.decision == nil)
        #expect(try await store.photo(before.id).state == .missing)
    }

    @Test func recognisesACopyByItsContent() async throws {
        let store = try await TestStore("a.jpg")
        let before = try await store.photo("a.jpg")
        let digest = try ContentDigest.digest(
            of: store.test.open().open(before.principal.path, id: before.id, expecting: before.version))
        try await store.database.write {
            try PhotoStore().saveDigest(digest, of: before.id, version: before.version, in: $0)
        }
        let url = store.test.photos.appending(path: "a.jpg")
        let contents = try Data(contentsOf: url)
        try contents.write(to: store.test.photos.appending(path: "b.jpg"))
        try FileManager.default.removeItem(at: url)
        try await store.scan()
        #expect(try await store.photos().map(\.id) == [before.id])
    }

    @Test func losesNothingWhereTheVolumeIsMissing() async throws {
        let store = try await TestStore("a.jpg")
        // As if the folder were now the empty mount point on another device.
        try await store.database.write { try $0.execute(sql: "UPDATE library SET device = device + 1") }
        try FileManager.default.removeItem(at: store.test.photos.appending(path: "a.jpg"))
        let library = try await store.reread()
        let error = await #expect(throws: PhotoProcessingError.self) { try await store.scanner.scan(library) }
        #expect(error?.code == .needsNetwork)
        #expect(try await store.photos().count == 1)
    }

    @Test func saysThatTheFolderIsGone() async throws {
        let store = try await TestStore("a.jpg")
        try FileManager.default.removeItem(at: store.test.photos)
        let error = await #expect(throws: PhotoProcessingError.self) { try await store.scanner.scan(store.library) }
        #expect(error?.code == .photoGone)
        #expect(try await store.photos().count == 1)
    }

    @Test func storesHeadersOnlyForTheVersionThatWasRead() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        let header = PhotoHeader(
            format: "jpeg", width: 40, height: 30, orientation: 6, captured: CaptureTime(localSeconds: 12.5),
            predictedBytes: 10)
        let other = PhotoVersion(device: 0, inode: 1, size: 2, modified: 3)
        try await store.database.write { try PhotoStore().save(header, of: photo.id, version: other, in: $0) }
        #expect(try await store.photo(photo.id).header == nil)
        try await store.database.write { try PhotoStore().save(header, of: photo.id, version: photo.version, in: $0) }
        let after = try await store.photo(photo.id)
        #expect(after.header == header && after.time == 12.5 && after.header?.displayWidth == 30)
    }

    @Test func takesARestoreByAnotherProgramForAnUndo() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            _ = try await processor.flush()
        }
        try FileManager.default.moveItem(
            at: store.test.home.appending(path: "files/a.jpg"), to: store.test.photos.appending(path: "a.jpg"))
        try await store.scan()
        #expect(try await store.photo("a.jpg") == photo)
        #expect(try await store.history().map(\.isUndone) == [true])
        // A later mark does not bring the old decision back.
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(photo, kind: .rating, rating: 2), session: store.session)
        #expect(try await store.photo("a.jpg").decision == nil)
    }

    @Test func takesACopyOfATrashedPhotoForAnotherPhoto() async throws {
        let store = try await TestStore("a.jpg", "a.cr2", "a.xmp")
        let photo = try await store.photo("a.jpg")
        let digest = try ContentDigest.digest(
            of: store.test.open().open(photo.principal.path, id: photo.id, expecting: photo.version))
        try await store.database.write {
            try PhotoStore().saveDigest(digest, of: photo.id, version: photo.version, in: $0)
        }
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
        }
        try store.test.add("a.jpg")
        try await store.scan()
        let copy = try await store.photo("a.jpg")
        #expect(copy.id != photo.id && copy.decision == nil)
        #expect(try await store.photo(photo.id).state == .trashed)
        #expect(try await store.history().map(\.isUndone) == [false])
        // The whole shot comes back as soon as the copy has another name.
        try FileManager.default.moveItem(
            at: store.test.photos.appending(path: "a.jpg"), to: store.test.photos.appending(path: "copy.jpg"))
        try await store.scan()
        try await store.running(store.processor()) { processor in
            try await processor.undo(of: store.library.id)
            try await processor.flush()
        }
        #expect(store.test.names(store.test.photos) == ["a.cr2", "a.jpg", "a.xmp", "copy.jpg"])
        #expect(store.test.trashed.isEmpty && store.test.descriptions.isEmpty)
    }

    @Test("Without inodes, the journal says whether a photo at the place of a trashed one is that one")
    func asksTheJournalWithoutInodes() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
        }
        var file = photo.principal
        file.version = PhotoVersion(
            device: 1, inode: 0, size: file.version.size, modified: file.version.modified)
        let edit = ScanEdit.move(
            photo.id, FoundShot(folder: .root, key: file.path.name.parts.stem, files: [file]))
        let library = store.library.id
        try await store.database.write { try PhotoStore().apply([edit], to: library, in: $0) }
        #expect(try await store.photo(photo.id).state == .trashed)
        #expect(try await store.photo("a.jpg").id != photo.id)
        #expect(try await store.history().map(\.isUndone) == [false])
        // Sift takes it out of the trash while the scan runs.
        try await store.database.write { db in
            try db.execute(sql: "UPDATE trashAct SET phase = 'restoring'")
            try PhotoStore().apply([edit], to: library, in: db)
        }
        #expect(try await store.photo("a.jpg").id == photo.id)
    }

    @Test func pagesInTheOrderOfTime() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg")
        let id = store.library.id
        var seen: [PhotoID] = []
        var position: PhotoStore.Position?
        while true {
            let page = try await store.database.read { [position] in
                try PhotoStore().photos(of: id, .undecided, after: position, limit: 2, in: $0)
            }
            guard let last = page.last else { break }
            seen += page.map(\.id)
            position = PhotoStore.Position(of: last)
        }
        #expect(seen.count == 5 && Set(seen).count == 5)
    }

    @Test func migratesFromEveryEarlierSchema() throws {
        let library = "INSERT INTO library (id, path, device, addedAt) VALUES (1, x'2f61', 1, '2026-01-01')"
        let shot = "INSERT INTO shot (id, library, folder, key, state, time) VALUES (1, 1, x'', x'61', 'present', 1)"
        let rows: @Sendable (Database) throws -> Void = { db in
            try db.execute(sql: library)
            try db.execute(sql: shot)
        }
        var fixtures: [String: @Sendable (Database) throws -> Void] = [:]
        for name in SiftSchema.migrator.migrations { fixtures[name] = rows }
        let walk = MigrationWalk(SiftSchema.migrator, fixtures: fixtures)
        try walk.run { db, _ in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM shot")
            #expect(count == 1)
        }
    }
}

struct LibraryWatchTests {
    @Test func reportsAChangeOfAFolder() async throws {
        let test = try TestLibrary()
        let watch = LibraryWatch(try test.open())
        watch.add(.root)
        try #require(watch.isComplete)
        var changes = watch.changes().makeAsyncIterator()
        try test.add("a.jpg")
        #expect(await changes.next() != nil)
    }

    @Test func ignoresHiddenNames() {
        func event(_ mask: UInt32, _ name: String) -> [UInt8] {
            let padded = Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count)
            let numbers = [1, mask, 0, UInt32(padded.count)]
            return numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } } + padded
        }
        #expect(!LibraryWatch.hasChange(event(0x100, ".sift-1.tmp")[...]))
        #expect(LibraryWatch.hasChange((event(0x100, ".sift-1.tmp") + event(0x100, "a.jpg"))[...]))
        #expect(LibraryWatch.hasChange(event(0x4000, "")[...]), "The kernel's queue overflowed.")
        #expect(LibraryWatch.hasChange(event(0x800, "")[...]), "The folder itself was moved.")
    }
}
