import Foundation
import GRDB
import Hablare
import Testing

@testable import HablareData

@Suite struct ActionTableTests {
    @Test("A standing has the codes of older journals, and no others")
    func standingCodes() {
        let codes: [ActionStanding: Int64] = [
            .notApplied: 0, .applied: 1, .handedOver(.forward): 2, .handedOver(.backward): 3,
        ]
        for (standing, code) in codes {
            #expect(standing.code == code && ActionStanding(code: code) == standing)
        }
        #expect(ActionStanding(code: 4) == nil && ActionStanding(code: -1) == nil)
    }

    @Test("Reading returns the written actions, in the order of the queue")
    func roundTrip() async throws {
        let database = try DatabaseQueue()
        let records = (1...3).map { number in
            ActionRecord(
                id: ActionID(rawValue: UUID()), number: number, isWanted: number != 2,
                standing: .handedOver(.backward), executions: 5, attempt: 6, position: 100 - number,
                isRemembered: number != 3, failure: "why", hasGivenUp: number == 1)
        }
        let contents = try await database.write { database in
            try ActionSchema.create(database)
            let first = try ActionTable.open("swipes", of: Swipe.self, token: 7, in: database).owner
            let payload = try JSONEncoder().encode(Swipe(7))
            try ActionTable.write(
                records.reversed().map { .insert($0, payload: payload, appendedAt: Date(timeIntervalSince1970: 1.5)) },
                of: first, in: database)
            return try ActionTable.open("swipes", of: Swipe.self, token: 7, in: database)
        }
        #expect(contents.owner == ActionOwner(queue: "swipes", token: 8))
        #expect(contents.stored.map(\.record) == records)
        #expect(contents.stored.allSatisfy { $0.action == Swipe(7) && $0.appendedAt.timeIntervalSince1970 == 1.5 })
        #expect(contents.last == 3 && contents.unreadable.isEmpty)
    }

    @Test("An older owner cannot write")
    func fencing() async throws {
        let database = try DatabaseQueue()
        let error = try await database.write { database in
            try ActionSchema.create(database)
            let older = try ActionTable.open("swipes", of: Swipe.self, token: 7, in: database).owner
            _ = try ActionTable.open("other", of: Swipe.self, token: 9, in: database)
            try ActionTable.write([], of: older, in: database)
            _ = try ActionTable.open("swipes", of: Swipe.self, token: 7, in: database)
            return #expect(throws: ActionQueueError.self) {
                try ActionTable.write([.delete(number: 1)], of: older, in: database)
            }
        }
        #expect(error?.code == .takenOver)
    }

    @Test("An owner from before an erasure differs from the owner that opened the queue afterwards")
    func erased() async throws {
        let database = try DatabaseQueue()
        let errors = try await database.write { database in
            try ActionSchema.create(database)
            let older = try ActionTable.open("swipes", of: Swipe.self, token: 7, in: database).owner
            try database.execute(sql: "DELETE FROM hablare_action_queues")
            let erased = #expect(throws: ActionQueueError.self) { try ActionTable.write([], of: older, in: database) }
            _ = try ActionTable.open("swipes", of: Swipe.self, token: 3, in: database)
            let taken = #expect(throws: ActionQueueError.self) { try ActionTable.write([], of: older, in: database) }
            return [erased, taken]
        }
        #expect(errors.map { $0?.code } == [.erased, .takenOver])
    }
}
