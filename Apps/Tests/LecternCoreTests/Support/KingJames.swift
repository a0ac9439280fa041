import Foundation
import HablarePersistence
import LecternCore
import LecternTexts

/// The King James Version of Debian's package bible-kjv.
enum KingJames {
    static let program = "/usr/bin/bible"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// A database with the text, imported once for all tests, which only read it.
    static let database = Task.detached { @Sendable in
        try await AppDatabase.lectern(with: BibleLinesImporter(.program(program)))
    }
}
