import Foundation
import HablarePersistence
import HablareTestFiles
import Testing

/// A real disk that is full or read-only: a small file system in memory.
@Suite("Small disk", .enabled(if: SmallDisk.isPossible, "mounting needs root on Linux")) struct SmallDiskTests {
    @Test("A full disk is an error with a code, keeps existing rows, and accepts writes once there is room")
    func full() throws {
        let disk = try SmallDisk(size: "1m")
        let ballast = disk.url.appendingPathComponent("ballast")
        try Data(count: 400_000).write(to: ballast)
        let database = try AppDatabase(at: disk.url.appendingPathComponent("notes.sqlite"), migrator: Notes.migrator)
        var written = 0
        var code: AppDatabaseError.Code?
        while code == nil, written < 1_000 {
            do {
                try database.add(String(repeating: "x", count: 10_000))
                written += 1
            } catch {
                code = AppDatabaseError(describing: error, of: database)?.code
            }
        }
        #expect(code == .full)
        #expect(try database.titles().count == written)
        try FileManager.default.removeItem(at: ballast)
        try database.add("more")
        #expect(try database.titles().count == written + 1)
    }

    @Test("Opening a database on a full disk reports it as full")
    func fullBefore() throws {
        let disk = try SmallDisk(size: "64k")
        try Data(count: 65_536).write(to: disk.url.appendingPathComponent("ballast"))
        let error = openingError {
            _ = try AppDatabase(at: disk.url.appendingPathComponent("notes.sqlite"), migrator: Notes.migrator)
        }
        #expect(error?.code == .full)
    }

    @Test("Opening a database on a read-only disk reports it as read-only")
    func readOnly() throws {
        let disk = try SmallDisk(size: "1m")
        let file = disk.url.appendingPathComponent("notes.sqlite")
        try AppDatabase.briefly(at: file) { try $0.add("one") }
        try disk.makeReadOnly(true)
        #expect(openingError { _ = try AppDatabase(at: file, migrator: Notes.migrator) }?.code == .readOnly)
        let other = disk.url.appendingPathComponent("other.sqlite")
        #expect(openingError { _ = try AppDatabase(at: other, migrator: Notes.migrator) }?.code == .folderUnwritable)
    }
}
