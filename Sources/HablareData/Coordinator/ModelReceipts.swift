import Foundation
import Hablare

/// What was merged into which place of which model in this process. Forgets models that are gone, so it is as large as what
/// the app holds.
@MainActor struct ModelReceipts {
    private struct Slot {
        weak var model: AnyObject?
        let place: AnyHashable
        let mergedAt: Date
    }

    nonisolated init() {}

    private var slots: [UUID: [Slot]] = [:]
    /// How many slots there are, those of models that are gone included.
    private(set) var count = 0
    /// At so many the ones whose models are gone are removed.
    private var nextSweep = 64

    /// When a response was merged into a place of a model; `nil` where it was not.
    func date(of requestID: UUID, in model: AnyObject, _ place: AnyHashable) -> Date? {
        slots[requestID]?.first { $0.model === model && $0.place == place }?.mergedAt
    }

    /// A response was merged.
    mutating func merged(_ requestID: UUID, into model: AnyObject, _ place: AnyHashable, at date: Date) {
        slots[requestID, default: []].append(Slot(model: model, place: place, mergedAt: date))
        count += 1
        guard count >= nextSweep else { return }
        slots = slots.compactMapValues { slots in
            let live = slots.filter { $0.model != nil }
            return live.isEmpty ? nil : live
        }
        count = slots.values.reduce(0) { $0 + $1.count }
        nextSweep = max(64, count * 2)
    }
}
