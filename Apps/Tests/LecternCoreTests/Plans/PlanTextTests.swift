import GRDB
import HablarePersistence
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Plans of stored texts")
struct PlanTextTests {
    @Test("A plan's text has the chapters and verses of the stored text")
    func stored() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let text = try await database.read { db in
            try TextStore().planText(of: TextStore().requireText("sample", in: db), in: db)
        }
        #expect(text.chapters.map(\.id.description) == ["Gen.1", "Gen.2", "John.1"])
        #expect(text.chapters.map(\.verses) == [[1, 2], [1, 2], [1, 2]])
    }

    @Test("The King James Version has every verse in its plan", .enabled(if: KingJames.isInstalled))
    func kingJames() async throws {
        let text = try await KingJames.database().read { db in
            try TextStore().planText(of: TextStore().requireText("kjv", in: db), in: db)
        }
        #expect(text.chapters.count == 1_189)
        #expect(text.chapters.reduce(0) { $0 + $1.verses.count } == 31_102)
    }
}
