import Foundation
import Hablare

/// A request as `ps --json` prints it: exactly these fields, `null` where there is nothing.
struct RequestRow: Encodable, Sendable {
    let standing: RequestStanding
    private var snapshot: RequestSnapshot { standing.snapshot }

    init(_ standing: RequestStanding) {
        self.standing = standing
    }

    private enum CodingKeys: String, CodingKey {
        case id, job, state, waiting, until, provider, attempts, deadline, createdAt, finishedAt
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(snapshot.id.text, forKey: .id)
        try container.encode(snapshot.job?.rawValue, forKey: .job)
        try container.encode(standing.state, forKey: .state)
        try container.encode(snapshot.waiting?.word, forKey: .waiting)
        try container.encode(snapshot.waiting?.until, forKey: .until)
        try container.encode(snapshot.providerID.rawValue, forKey: .provider)
        try container.encode(snapshot.attempts, forKey: .attempts)
        try container.encode(snapshot.deadline, forKey: .deadline)
        try container.encode(snapshot.createdAt, forKey: .createdAt)
        try container.encode(snapshot.finishedAt, forKey: .finishedAt)
    }

    static let headings = ["ID", "STATE", "WAITING", "PROVIDER", "TRIES", "CREATED", "FINISHED", "JOB"]

    func cells(at time: LocalTime) -> [String] {
        [
            snapshot.id.text, standing.state, snapshot.waiting?.cell(at: time) ?? "-",
            snapshot.providerID.rawValue,
            String(snapshot.attempts), TimeText.moment(snapshot.createdAt), TimeText.moment(snapshot.finishedAt),
            snapshot.job?.rawValue ?? "-",
        ]
    }
}
