import Foundation
import Hablare
import HablareFiles
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct CommitBellTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    /// Without another open store, no bell rings.
    private let listener: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(directory: folder.url)
        listener = try SQLiteStore(directory: folder.url)
    }

    private var length: Int? {
        get throws { try FileSystem.size(ofFile: folder.url.appendingPathComponent("signal/commits").path) }
    }

    @Test("A commit of interest to others changes the bell file's length, and no other commit does")
    func lengths() throws {
        let bench = StoreWorkbench(store: store)
        let atFirst = try length
        try bench.submit(1)
        let submitted = try length
        #expect(atFirst == 0 && submitted != 0)
        _ = try store.commit([.cancel(StoreWorkbench.id(99), at: StoreWorkbench.date(0))])
        #expect(try length == submitted, "there is no such request")
        try bench.submit(2)
        #expect(try length != submitted)
    }

    @Test("A missing bell file does not prevent a commit and is created again")
    func gone() throws {
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("signal"))
        try StoreWorkbench(store: store).submit(1)
        #expect(try store.snapshot(of: StoreWorkbench.id(1)) != nil)
        #expect(try length != nil)
    }

    @Test("The bell of a store that is gone makes no folder for one anew")
    func goneStore() throws {
        let path = folder.url.appendingPathComponent("store")
        try DurableCalls.system.makeFolder(path.path)
        let bell = try CommitBell(directory: path.appendingPathComponent("signal"))
        try FileManager.default.removeItem(at: path)
        bell.ring(1)
        #expect(try FileSystem.status(of: path.path) == nil)
    }
}
