import Foundation
import GRDB
import Hablare
import HablarePersistence
import HablareTestKit
import LecternTexts
import Synchronization
import Testing

@testable import LecternCore

/// A person's data with a clock that a test sets. Opening it again is a restart.
final class Desk: Sendable {
    let database: AppDatabase
    private let state: Mutex<(now: Int64, id: UInt64)>

    init(_ database: AppDatabase? = nil) throws {
        self.database = try database ?? AppDatabase.inMemory(migrator: LecternSchema.migrator)
        state = Mutex((1_767_225_600_000, 0))
    }

    /// The time, which rises with each reading.
    var now: Moment { state.withLock { Moment(rawValue: $0.now) } }

    func advance(_ milliseconds: Int64) { state.withLock { $0.now += milliseconds } }

    /// A new id.
    var id: UUID {
        let number = state.withLock { state in
            state.id += 1
            return state.id
        }
        var bytes = UUID(uuidString: "0192f0c1-0000-7000-8000-000000000000")?.uuid ?? UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { raw in
            for index in 0..<8 { raw[15 - index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) }
            raw[8] = 0x80
        }
        return UUID(uuid: bytes)
    }

    func open() async throws -> PersonalData {
        let seams = EngineSeams(
            date: { self.state.withLock { Date(timeIntervalSince1970: Double($0.now) / 1000) } },
            makeID: { self.id })
        return try await PersonalData(database: database, seams: seams)
    }

    /// Returns a command that is made now.
    func command(_ change: MarkCommand.Change, at moment: Moment? = nil, id: UUID? = nil) -> MarkCommand {
        MarkCommand(id: id ?? self.id, madeAt: moment ?? now, change)
    }

    func mark(_ id: UUID) async throws -> Mark? {
        try await database.read { try MarkStore().mark(id, in: $0) }
    }

    /// The rows that the person sees, as texts.
    func rows(_ tables: [PersonalTable] = [.mark, .markTag, .markFolder, .lostVersion, .plan, .planDone]) throws
        -> [String]
    {
        try database.writer.read { db in
            try tables.flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table.rawValue) ORDER BY 1, 2").map { "\(table) \($0)" }
            }
        }
    }
}

extension MarkPlace {
    static func verse(_ osis: String, _ space: Space = .versification("KJV")) throws -> MarkPlace {
        MarkPlace(space, try #require(OSISText.reference(osis)))
    }
}

let kjv = TextDescription(
    id: "kjv", title: "King James", abbreviation: "KJV", kind: .scripture, versification: "KJV")

/// A folder that is removed with the value.
final class TestFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "lectern test \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { print("A test folder is left: \(error)") }
    }

    func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }
}
