import Foundation
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// A SQLite store in a folder of its own.
struct SQLiteBench {
    let folder: TemporaryFolder
    let store: SQLiteStore
    var bench: StoreWorkbench { StoreWorkbench(store: store) }

    init(_ configuration: SQLiteStore.Configuration = .init()) throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(directory: folder.url, configuration: configuration)
    }

    var databaseFile: URL { folder.url.appendingPathComponent("hablare.sqlite") }

    /// Closes the store and opens another on the same folder.
    func reopened(_ configuration: SQLiteStore.Configuration = .init()) throws -> StoreWorkbench {
        try store.close()
        return StoreWorkbench(store: try SQLiteStore(directory: folder.url, configuration: configuration))
    }

    /// Every file below `content`.
    var contentFiles: [URL] {
        get throws { try store.files.all() }
    }

    /// Puts text into a content file.
    func put(_ text: String) async throws -> Body {
        Body(try await store.files.put(Data(text.utf8)), in: store.files)
    }
}

/// Returns the AIServiceError of an operation that must fail.
func serviceError(_ operation: () throws -> Void) throws -> AIServiceError {
    try #require(throws: AIServiceError.self) { try operation() }
}
