import DequeModule
import Foundation

/// What was merged into which place of which model in this process. Forgets models that are gone, so it is as large as what
/// the app holds.
///
/// All of it runs on the main actor, so nothing here takes longer with what is remembered: each receipt has two others
/// looked at, whether their models are still there, instead of all of them now and then.
@MainActor struct ModelReceipts {
    /// A property, or a name, hashed once for as many models as there are: to hash a key path is to walk it.
    struct Place: Hashable {
        private let place: AnyHashable
        private let digest: Int

        init(_ place: some Hashable) {
            self.place = AnyHashable(place)
            digest = place.hashValue
        }

        func hash(into hasher: inout Hasher) { hasher.combine(digest) }

        static func == (left: Self, right: Self) -> Bool { left.digest == right.digest && left.place == right.place }
    }

    private struct Key: Hashable {
        let requestID: UUID
        let model: ObjectIdentifier
        let place: Place
    }

    private struct Slot {
        /// Another object may come to have the identity of one that is gone.
        weak var model: AnyObject?
        let mergedAt: Date
    }

    nonisolated init() {}

    private var slots: [Key: Slot] = [:]
    /// Every slot's key once, the one first that was looked at longest ago.
    private var order: Deque<Key> = []

    /// How many slots there are, those of models that are gone included.
    var count: Int { slots.count }

    /// When a response was merged into a place of a model; `nil` where it was not.
    func date(of requestID: UUID, in model: AnyObject, _ place: Place) -> Date? {
        guard let slot = slots[key(requestID, model, place)], slot.model === model else { return nil }
        return slot.mergedAt
    }

    /// A response was merged.
    mutating func merged(_ requestID: UUID, into model: AnyObject, _ place: Place, at date: Date) {
        let key = key(requestID, model, place)
        if slots.updateValue(Slot(model: model, mergedAt: date), forKey: key) == nil { order.append(key) }
        for _ in 0..<2 {
            guard let oldest = order.popFirst() else { return }
            if slots[oldest]?.model == nil { slots[oldest] = nil } else { order.append(oldest) }
        }
    }

    private func key(_ requestID: UUID, _ model: AnyObject, _ place: Place) -> Key {
        Key(requestID: requestID, model: ObjectIdentifier(model), place: place)
    }
}
