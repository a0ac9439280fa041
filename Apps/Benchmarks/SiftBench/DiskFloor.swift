import Foundation
import GRDB
import HablarePersistence
import SiftCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The speed that the disk and SQLite reach without Sift, for comparison with the speed of Sift.
enum DiskFloor {
    /// Returns how many transactions of one row of 700 bytes are committed in a second, each synced.
    static func commits(in scratch: URL) async throws -> Double {
        let database = try await open("floor", in: scratch)
        let (clock, count) = (ContinuousClock(), 1000)
        let start = clock.now
        for _ in 0..<count { try await commit(database) }
        return Double(count) / (clock.now - start).seconds
    }

    /// Returns how many files a second are moved into another folder in the order of a trash: journal, description and
    /// its folder, rename, both folders, and the outcome, each synced.
    static func moves(_ count: Int, in scratch: URL) async throws -> Double {
        let database = try await open("moves", in: scratch)
        let folders = ["from", "info", "to"].map { scratch.appendingPathComponent("floor-\($0)") }
        for folder in folders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        for number in 0..<count { try Data("\(number)".utf8).write(to: folders[0].appendingPathComponent("\(number)")) }
        let open = folders.map { Foundation.open($0.path, O_RDONLY | O_DIRECTORY) }
        defer { for folder in open { close(folder) } }
        let text = Data(repeating: 0x78, count: 150)
        let clock = ContinuousClock()
        let start = clock.now
        for number in 0..<count {
            let name = "\(number)"
            try await commit(database)
            let info = openat(open[1], name, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            _ = text.withUnsafeBytes { write(info, $0.baseAddress, $0.count) }
            fsync(info)
            close(info)
            fsync(open[1])
            renameat(open[0], name, open[2], name)
            fsync(open[2])
            fsync(open[0])
            try await commit(database)
        }
        return Double(count) / (clock.now - start).seconds
    }

    private static func open(_ name: String, in scratch: URL) async throws -> AppDatabase {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("floor") { db in
            try db.execute(sql: "CREATE TABLE floor (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        }
        return try await AppDatabase.open(
            at: scratch.appendingPathComponent("\(name).sqlite"), migrator: migrator, options: SiftSchema.options)
    }

    private static func commit(_ database: AppDatabase) async throws {
        let text = String(repeating: "x", count: 700)
        try await database.write { db in
            try db.cachedStatement(sql: "INSERT INTO floor (text) VALUES (?)").execute(arguments: [text])
        }
    }
}
