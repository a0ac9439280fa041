import Foundation
import HablarePersistence
import LecternTexts

@testable import LecternCore

/// The King James Version of Debian's package bible-kjv.
enum KingJames {
    static let program = "/usr/bin/bible"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    private static let imported = Result {
        let database = try AppDatabase.lectern()
        var writer = TextWriter(database, at: Date(timeIntervalSince1970: 0))
        try BibleLinesImporter(.program(program)).read { try writer.write($0) }
        _ = try writer.finish()
        return database
    }

    /// A database with the text, imported once for all tests, which only read it.
    static func database() throws -> AppDatabase { try imported.get() }
}
