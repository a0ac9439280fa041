import Foundation
import GRDB
import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite("History and positions")
struct ReadingLogTests {
    private let log = ReadingLog()
    private let john = BookID(rawValue: "John")

    private func position(
        _ chapter: Int, _ verse: Int? = nil, at moment: Moment, device: String = "phone",
        kind: ReadingEvent.Kind = .reading
    ) -> ReadingPosition {
        ReadingPosition(
            device: device, text: "kjv", kind: kind, chapter: ChapterID(john, chapter), verse: verse, madeAt: moment)
    }

    @Test(
        "An older position never overwrites a newer one, in any order of arrival",
        arguments: 1...20 as ClosedRange<UInt64>)
    func order(_ seed: UInt64) async throws {
        let desk = try Desk()
        var numbers = SeededGenerator(seed: seed)
        desk.advance(1_000_000)
        let acts = (1...20).map { position($0, at: desk.now.adding(seconds: Int64($0) - 30)) }.shuffled(using: &numbers)
        try await desk.database.write { [log] db in
            var newest = Moment(rawValue: .min)
            for act in acts {
                let isMoved = try log.record(act, id: desk.id, now: desk.now, in: db)
                #expect(isMoved == (act.madeAt >= newest))
                newest = max(newest, act.madeAt)
            }
            #expect(try log.position(of: "phone", in: "kjv", .reading, db)?.chapter.chapter == 20)
            #expect(try log.position(of: "phone", in: "kjv", .listening, db) == nil)
        }
    }

    @Test("After the clock was set back, new positions are written again")
    func clockSetBack() async throws {
        let desk = try Desk()
        let now = desk.now
        let future = now.adding(seconds: 86_400 * 400)
        try await desk.database.write { [log, john] db in
            try log.record(position(9, at: future), id: desk.id, now: future, in: db)
            #expect(try log.record(position(3, at: now), id: desk.id, now: now, in: db))
            #expect(try log.position(of: "phone", in: "kjv", .reading, db)?.chapter == ChapterID(john, 3))
            // A device whose clock is ahead does not block itself.
            try log.record(position(4, at: future), id: desk.id, now: now, in: db)
            #expect(
                try log.record(
                    position(5, at: now.adding(seconds: 1)), id: desk.id, now: now.adding(seconds: 1), in: db))
        }
    }

    @Test("Another device's newer place is offered until it is declined or reached, and never applied")
    func offers() async throws {
        let desk = try Desk()
        let now = desk.now
        try await desk.database.write { [log] db in
            let end = now.adding(seconds: 1000)
            func record(_ act: ReadingPosition) throws { try log.record(act, id: desk.id, now: end, in: db) }
            func offer() throws -> Int? { try log.offer(to: "phone", in: "kjv", .reading, db)?.chapter.chapter }
            try record(position(2, at: now))
            #expect(try offer() == nil)
            try record(position(1, at: now.adding(seconds: -5), device: "desk"))
            #expect(try offer() == nil)
            try record(position(7, at: now.adding(seconds: 5), device: "desk"))
            #expect(try offer() == 7)
            #expect(try log.position(of: "phone", in: "kjv", .reading, db)?.chapter.chapter == 2)
            let offered = try #require(try log.offer(to: "phone", in: "kjv", .reading, db))
            try log.decline(offered, on: "phone", in: db)
            #expect(try offer() == nil)
            try record(position(8, at: now.adding(seconds: 6), device: "desk"))
            #expect(try offer() == 8)
            try record(position(8, at: now.adding(seconds: 5), device: "phone"))
            #expect(try offer() == nil)
        }
    }

    @Test("The history has one event for each sitting in a chapter, and can be cleared")
    func history() async throws {
        let desk = try Desk()
        let now = desk.now
        try await desk.database.write { [log] db in
            let end = now.adding(seconds: 100_000)
            func record(_ act: ReadingPosition) throws { try log.record(act, id: desk.id, now: end, in: db) }
            for seconds in [0, 10, 1000] as [Int64] {
                try record(position(1, Int(seconds), at: now.adding(seconds: seconds)))
            }
            try record(position(1, at: now.adding(seconds: 500)))
            try record(position(2, at: now.adding(seconds: 1100)))
            try record(position(1, at: now.adding(seconds: 9000)))
            try record(position(1, at: now.adding(seconds: 9001), kind: .listening))
            let all = try log.history(in: db)
            #expect(all.map(\.chapter.chapter) == [1, 1, 2, 1])
            #expect(all.last?.startedAt == now && all.last?.endedAt == now.adding(seconds: 1000))
            #expect(try log.history(.listening, in: db).count == 1)
            let first = try log.history(limit: 2, in: db)
            #expect(try first + log.history(after: first.last, limit: 2, in: db) == all)
            #expect(try log.recentChapters(in: db).map(\.chapter.chapter) == [1, 2])
            try log.clear(text: "web", in: db)
            #expect(try log.history(in: db).count == 4)
            try log.clear(in: db)
            #expect(try log.history(in: db).isEmpty)
            #expect(try log.position(of: "phone", in: "kjv", .reading, db) != nil)
        }
    }
}
