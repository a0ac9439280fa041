import Foundation
import Hablare

extension StoreContract {
    static let owners: [Rule] = [
        Rule("A registered process is listed with its registration") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try require("ids ascend", one < two)
            let expected = [
                OwnerRecord(id: one, registration: StoreWorkbench.registration(1)),
                OwnerRecord(id: two, registration: StoreWorkbench.registration(2)),
            ]
            try require("the owners", try bench.store.owners(), is: expected)
        },
        Rule("A process without a lock or a host name can register") { bench in
            let registration = OwnerRegistration(
                host: "", processID: 0, lockName: "", expiresAt: StoreWorkbench.date(1))
            guard case .owner(let owner) = try bench.write(.registerOwner(registration)) else {
                throw ContractViolation(message: "it was not registered", location: #fileID)
            }
            let expected = [OwnerRecord(id: owner, registration: registration)]
            try require("the owners", try bench.store.owners(), is: expected)
        },
        Rule("Renewing extends the leases, and an unknown process cannot renew") { bench in
            let owner = try bench.register()
            try require("renewing", try bench.write(.renewOwner(owner, until: StoreWorkbench.date(90))), is: .done)
            try require("the end", try bench.store.owners().first?.registration.expiresAt, is: StoreWorkbench.date(90))
            _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(91)))
            try require(
                "renewing a retired one", try bench.write(.renewOwner(owner, until: StoreWorkbench.date(99))),
                is: .refused(.staleToken))
            try require("the owners", try bench.store.owners(), is: [])
        },
        Rule("Owner ids are never reused") { bench in
            let one = try bench.register()
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(1)))
            let two = try bench.register()
            try require("another id", two > one)
        },
        Rule("Retiring a process breaks its leases and no others") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            for number in 1...4 { try bench.submit(number, job: "j", position: number) }
            let sent = try bench.startNext(one)
            _ = try bench.claimOne(one)
            let others = try bench.startNext(two)
            try require(
                "the receipt", try bench.write(.retireOwner(one, at: StoreWorkbench.date(9))), is: .broken(flights: 2))
            try require("the owners", try bench.store.owners().map(\.id), is: [two])
            try require("the unsent one's ledger", try bench.store.attempts(of: StoreWorkbench.id(2)), is: [])
            try require("the sent one's ledger", try bench.store.attempts(of: sent.request).map(\.outcome), is: [.lost])
            try require("the other's", try bench.store.snapshot(of: others.request)?.phase, is: .executing)
            let claimed = try bench.claim(two, scope: .job(JobKey(rawValue: "j")), limit: 9)
            try require("claimed", claimed.map(\.request.id), is: [1, 2, 4].map(StoreWorkbench.id))
            try require("tokens", claimed.map(\.lifecycle.token), is: [2, 2, 1])
            try require(
                "retiring again", try bench.write(.retireOwner(one, at: StoreWorkbench.date(9))),
                is: .broken(flights: 0))
        },
        Rule("Flights settled before their process died do not change") { bench in
            let owner = try bench.register()
            try bench.bring(1, to: .completed, by: owner)
            try bench.bring(2, to: .failed, by: owner)
            let before = try bench.store.snapshots(SnapshotFilter())
            try require(
                "the receipt", try bench.write(.retireOwner(owner, at: StoreWorkbench.date(9))), is: .broken(flights: 0)
            )
            try require("the requests", try bench.store.snapshots(SnapshotFilter()), is: before)
        },
    ]
}
