import Foundation
import Hablare

/// What was merged into which property of which model in this process. Forgets models that are gone, so it is as large as
/// what the app holds.
@MainActor struct ModelReceipts {
    private struct Slot {
        weak var model: AnyObject?
        let property: AnyKeyPath
        let mergedAt: Date
    }

    nonisolated init() {}

    private var slots: [UUID: [Slot]] = [:]
    /// At so many requests the ones whose models are gone are removed.
    private var nextSweep = 64

    /// When a response was merged into a property of a model; `nil` where it was not.
    func date(of requestID: UUID, in model: AnyObject, _ property: AnyKeyPath) -> Date? {
        slots[requestID]?.first { $0.model === model && $0.property == property }?.mergedAt
    }

    /// A response was merged.
    mutating func merged(_ requestID: UUID, into model: AnyObject, _ property: AnyKeyPath, at date: Date) {
        slots[requestID, default: []].append(Slot(model: model, property: property, mergedAt: date))
        guard slots.count >= nextSweep else { return }
        slots = slots.compactMapValues { slots in
            let live = slots.filter { $0.model != nil }
            return live.isEmpty ? nil : live
        }
        nextSweep = max(64, slots.count * 2)
    }

    /// It was not, after all.
    mutating func failed(_ requestID: UUID, into model: AnyObject, _ property: AnyKeyPath) {
        slots[requestID]?.removeAll { $0.model === model && $0.property == property }
        if slots[requestID]?.isEmpty == true { slots[requestID] = nil }
    }

    /// How many requests are remembered.
    var count: Int { slots.count }
}
