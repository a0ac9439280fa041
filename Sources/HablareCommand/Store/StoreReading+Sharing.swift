import Foundation
import Hablare

extension StoreReading {
    /// The oldest other request whose call, under way or not sent yet, is this one's, too; `nil` where there is none.
    func requestSharing(with id: UUID) throws -> UUID? {
        guard let snapshot = try snapshot(of: id), let flight = snapshot.flight else { return nil }
        if case .following(let leader) = snapshot.waiting { return leader }
        guard snapshot.phase == .executing else { return nil }
        var filter = SnapshotFilter(phases: [.executing], limit: 500)
        while true {
            let page = try snapshots(filter)
            if let other = page.first(where: { $0.flight == flight && $0.id != id }) { return other.id }
            guard page.count == filter.limit, let last = page.last else { return nil }
            filter.continues(after: last)
        }
    }
}
