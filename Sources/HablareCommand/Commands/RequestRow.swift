import Foundation
import Hablare

/// A request in the list of `ps`.
struct RequestRow: ListRow, JSONPrintable {
    let standing: RequestStanding
    /// When the table is printed.
    let time: LocalTime
    private var snapshot: RequestSnapshot { standing.snapshot }

    var json: JSONObject {
        [
            "id": snapshot.id.text, "job": snapshot.job?.rawValue, "state": standing.state,
            "waiting": snapshot.waiting?.word, "until": snapshot.waiting?.until,
            "provider": snapshot.providerID.rawValue, "attempts": snapshot.attempts, "deadline": snapshot.deadline,
            "createdAt": snapshot.createdAt, "finishedAt": snapshot.finishedAt,
        ]
    }

    static let columns: [Column<RequestRow>] = [
        Column("ID") { $0.snapshot.id.text },
        Column("STATE") { $0.standing.state },
        Column("WAITING") { $0.snapshot.waiting?.cell(at: $0.time) ?? "-" },
        Column("PROVIDER") { $0.snapshot.providerID.rawValue },
        Column("TRIES") { String($0.snapshot.attempts) },
        Column("CREATED") { TimeText.moment($0.snapshot.createdAt) },
        Column("FINISHED") { TimeText.moment($0.snapshot.finishedAt) },
        Column("JOB") { $0.snapshot.job?.rawValue ?? "-" },
    ]
}
