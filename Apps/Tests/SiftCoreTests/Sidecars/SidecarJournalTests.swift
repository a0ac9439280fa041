import Foundation
import GRDB
import HablarePersistence
import Testing

@testable import SiftCore

@Suite struct SidecarJournalTests {
    private let journal = SidecarJournal()

    @Test(arguments: [["4", "5"], ["9", "4"]])
    func keepsTheValueThatWasReplacedWhenAnAttemptIsRepeated(_ found: [String]) async throws {
        let store = try await TestStore("a.jpg")
        let decision = try await store.decide("a.jpg", .rating, rating: 5)
        try await store.database.write { [journal] db in
            for value in found { try journal.record(value, replacedBy: "5", for: decision.id, in: db) }
        }
        try await store.undo()
        let change = try await store.database.read { [journal] in try journal.change(for: decision.action, in: $0) }
        #expect(change == .putBack("4", undone: [decision.id]))
    }

    @Test func putsTheValueBackOnceMoreAfterAnInterruptedUndo() async throws {
        let store = try await TestStore("a.jpg")
        try store.setByAnotherProgram(.rating, to: "4", in: "a.jpg.xmp")
        try await store.setWritesSidecars(true)
        let decision = try await store.decide("a.jpg", .rating, rating: 5)
        try await store.undo()
        // As if the program had died before it recorded that.
        try await store.database.write { [journal] db in
            try journal.record("4", replacedBy: "5", for: decision.id, in: db)
        }
        let library = try await store.reread()
        let reverting = try #require(decision.action.compensation)
        let committer = PhotoCommitter(database: store.database, trash: store.trash())
        let folder = try store.test.open()
        for _ in 0..<2 { _ = try committer.mark(decision.action.files, for: reverting, of: library, in: folder) }
        #expect(try store.value(.rating, in: "a.jpg.xmp") == "4")
    }

    @Test func forgetsTheValuesOfRemovedDecisions() async throws {
        let store = try await TestStore("a.jpg")
        let decision = try await store.decide("a.jpg", .rating, rating: 5)
        let left = try await store.database.write { [journal] db in
            try journal.record("4", replacedBy: "5", for: decision.id, in: db)
            _ = try DecisionStore().prune(before: .distantFuture, in: db)
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sidecarValue")
        }
        #expect(left == 0)
    }
}
