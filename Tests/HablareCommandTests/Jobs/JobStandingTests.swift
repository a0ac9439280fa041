import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

/// The state of a job by its requests.
@Suite struct JobStandingTests {
    private static let error = AIServiceError(.unauthorized, "No.")

    private func request(
        _ number: Int, at place: Int?, _ phase: RequestPhase, _ waiting: RequestSnapshot.WaitReason? = nil,
        error: AIServiceError? = nil, by process: Int32? = nil
    ) -> RequestSnapshot {
        RequestSnapshot(
            id: StoreWorkbench.id(number), position: place, providerID: "p", phase: phase, error: error,
            waiting: waiting, holder: process.map { .init(host: "here", processID: $0) }, attempts: 1,
            createdAt: StoreWorkbench.date(0))
    }

    private func standing(of count: Int, _ requests: RequestSnapshot...) -> JobStanding {
        var standing = JobStanding(count: count, ownProcess: 7)
        for request in requests { standing.saw(request) }
        return standing
    }

    @Test func `Each request is counted by its phase at its position`() {
        let found = standing(
            of: 6, request(1, at: 0, .completed), request(2, at: 1, .failed, error: Self.error),
            request(3, at: 2, .cancelled), request(4, at: 3, .pending, .held),
            request(5, at: 4, .pending, .unclaimed(ahead: nil)), request(6, at: 5, .executing))
        let ids = (1...6).map { StoreWorkbench.id($0) }
        #expect(found.ids == Dictionary(uniqueKeysWithValues: zip(0..., ids)))
        #expect(found.completed == [ids[0]] && found.unsuccessful == [ids[1], ids[2]] && found.held == [ids[3]])
        #expect(
            found.gaps(of: ids).map(\.reason) == [.failed(Self.error), .cancelled, .held, .waiting, .waiting])
        #expect(found.gaps(of: ids).map(\.index) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: RequestPhase.allCases)
    func `A position behind the end is ignored`(phase: RequestPhase) {
        let found = standing(
            of: 2, request(1, at: 1, .completed), request(2, at: 2, phase, phase == .pending ? .held : nil, by: 8))
        #expect(found == standing(of: 2, request(1, at: 1, .completed)))
        #expect(found.completed.count == 1)
    }

    @Test func `Other processes that hold requests are listed without this one`() {
        let found = standing(
            of: 3, request(1, at: 0, .executing, by: 7), request(2, at: 1, .pending, .queued(ahead: 0), by: 9),
            request(3, at: 2, .completed, by: 10))
        #expect(found.holders == [9])
    }

    @Test func `A request that is not in the store waits`() {
        let ids = [StoreWorkbench.id(1), StoreWorkbench.id(2)]
        let gaps = standing(of: 2, request(1, at: 0, .completed)).gaps(of: ids)
        #expect(gaps == [JobGap(index: 1, request: ids[1], reason: .waiting)])
    }
}
