import Foundation
import Hablare
import HablarePersistence
import HablareTestKit
import Logging
import ServiceLifecycle
import Testing

@testable import SiftCore

struct SessionServiceTests {
    private func service(_ store: TestStore, date: Date) -> SessionService {
        var seams = EngineSeams.controlled(by: store.clock)
        seams.date = { date }
        return SessionService(
            [store.session], database: store.database, seams: seams,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func removesOldDecisionsInBatchesAndKeepsThoseOfTheTrash() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let (a, b) = (try await store.photo("a.jpg"), try await store.photo("b.jpg"))
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(a, kind: .trash), session: store.session)
            for stars in 0..<(SessionService.batch + 1) {
                try await processor.decide(
                    DecisionRequest(b, kind: .rating, rating: stars % 5), session: store.session)
            }
            try await processor.flush()
        }
        // On the last day nothing is removed, and the day after all but the decision whose photo is in the trash.
        let made = try #require(try await store.history().last?.madeAt)
        await service(store, date: made.addingTimeInterval(SessionService.retention)).prune()
        #expect(try await store.database.read { try DecisionStore().depths(of: store.library.id, in: $0).undo } > 500)
        let later = service(store, date: made.addingTimeInterval(SessionService.retention + 24 * 3600))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await later.prune() }
            for _ in 0..<2 {
                await store.clock.sleepers(reach: 1)
                store.clock.advance(by: SessionService.pause)
            }
        }
        #expect(try await store.history().map(\.action.photo) == [a.id])
        #expect(try await store.photo(b.id).marks.rating != nil)
    }

    @Test func endsItsSessionOnAGracefulShutdown() async throws {
        let store = try await TestStore("a.jpg")
        let id = store.library.id
        let group = ServiceGroup(
            services: [service(store, date: Date(timeIntervalSince1970: 100))],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            await store.clock.sleepers(reach: 1)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        let session = try await store.database.read { try DecisionStore().sessions(of: id, in: $0).first }
        #expect(session?.endedAt == Date(timeIntervalSince1970: 100))
    }

    @Test func keepsDecisionsThatAreNotCarriedOutYet() async throws {
        let store = try await TestStore("a.jpg")
        let processor = try await store.processor()
        try await processor.decide(
            DecisionRequest(store.photo("a.jpg"), kind: .rating, rating: 3), session: store.session)
        await service(store, date: .distantFuture).prune()
        #expect(try await store.history().map(\.isSettled) == [false])
        try await store.running(processor) { _ = try await $0.flush() }
        #expect(try await store.history().map(\.isSettled) == [true])
    }

    @Test func keepsTheEndOfASessionThatEndedBefore() async throws {
        let store = try await TestStore("a.jpg")
        let (id, session) = (store.library.id, store.session)
        let ends = try await store.database.write { db in
            for second in [100.0, 200] {
                try DecisionStore().endSession(session, at: Date(timeIntervalSince1970: second), in: db)
            }
            return try DecisionStore().sessions(of: id, in: db).map(\.endedAt)
        }
        #expect(ends == [Date(timeIntervalSince1970: 100)])
    }

    @Test func removesOldSessionsWithoutDecisions() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let id = store.library.id
        try await store.processor().decide(
            DecisionRequest(store.photo("a.jpg"), kind: .keep), session: store.session)
        let (young, left) = try await store.database.write { db in
            let store = DecisionStore()
            _ = try store.beginSession(of: id, at: Date(timeIntervalSince1970: 1), in: db)
            let young = try store.beginSession(of: id, at: Date(timeIntervalSince1970: 3), in: db)
            _ = try store.prune(before: Date(timeIntervalSince1970: 2), in: db)
            return (young.id, try store.sessions(of: id, in: db).map(\.id))
        }
        #expect(left == [young, store.session])
    }
}
