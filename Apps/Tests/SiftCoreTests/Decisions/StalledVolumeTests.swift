import Dispatch
import Foundation
import HablarePersistence
import HablareTestKit
import Testing

@testable import SiftCore

struct StalledVolumeTests {
    @Test func stopsOnlyTheActionsOfItsOwnLibrary() async throws {
        let store = try await TestStore("a.jpg")
        let other = try TestLibrary()
        try other.add("b.jpg")
        let folder = try other.open()
        let (library, session) = try await store.database.write { db in
            let date = Date(timeIntervalSince1970: 0)
            let library = try PhotoStore().addLibrary(folder, at: date, in: db)
            return (library, try DecisionStore().beginSession(of: library.id, at: date, in: db))
        }
        try await store.scanner.scan(library)
        let stalled = try await store.photo("a.jpg")
        let photo = try #require(
            try await store.database.read { try PhotoStore().photos(of: library.id, limit: 1, in: $0).first })
        // The first act of the trash waits for its volume.
        let answer = DispatchSemaphore(value: 0)
        let steps = Count(0)
        var trash = store.trash()
        trash.afterStep = { _ in if steps.add(1) == 1 { answer.wait() } }
        try await store.running(store.processor(trash: trash)) { processor in
            defer { answer.signal() }
            try await processor.decide(DecisionRequest(stalled, kind: .trash), session: store.session)
            try await processor.commit()
            await untilTrue { steps.value == 1 }
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: session.id)
            try await processor.commit()
            await untilTrue { !other.exists("b.jpg") }
            #expect(!other.exists("b.jpg") && store.test.exists("a.jpg"))
        }
    }
}
