import HablarePersistence
import LecternTexts
import Testing

@testable import LecternCore

@Suite("The verse of the day")
struct DailyVerseTests {
    @Test("A day always has the same verse, days differ, and any number is a day")
    func deterministic() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let service = BibleService(textID: "sample", database: database)
        for day in [Int.min, -1, 0, 20_000, Int.max] {
            #expect(try await service.loadDailyVerse(day: day) == service.loadDailyVerse(day: day))
        }
    }

    @Test(
        "Each verse of the list comes once before one comes again, and all exist", .enabled(if: KingJames.isInstalled))
    func all() async throws {
        let service = BibleService(textID: "kjv", database: try KingJames.database())
        var verses: Set<VerseID> = []
        for day in 0..<DailyVerse.verses.count { verses.insert(try await service.loadDailyVerse(day: day).id) }
        #expect(verses == Set(DailyVerse.verses))
    }
}
