import DequeModule
import Foundation

/// The receipts of this process's merges into properties of models. Receipts of released models are removed, so that
/// the number of receipts is proportional to the number of models.
///
/// All methods run on the main actor, so the cost of a call must not grow with the number of receipts. Therefore the
/// receipts are not all checked at once. Each new receipt checks whether the models of two other receipts were
/// released.
@MainActor struct ModelReceipts {
    /// A property or a name. It is hashed once for all models, because hashing a key path is slow.
    struct Target: Hashable {
        private let target: AnyHashable
        private let digest: Int

        init(_ target: some Hashable) {
            self.target = AnyHashable(target)
            digest = target.hashValue
        }

        func hash(into hasher: inout Hasher) { hasher.combine(digest) }

        static func == (left: Self, right: Self) -> Bool { left.digest == right.digest && left.target == right.target }
    }

    private struct Key: Hashable {
        let requestID: UUID
        let model: ObjectIdentifier
        let target: Target
    }

    private struct Slot {
        /// The model, held weakly. The object itself is compared, because a new object may have the identity of a
        /// released object.
        weak var model: AnyObject?
        let mergedAt: Date
    }

    nonisolated init() {}

    private var slots: [Key: Slot] = [:]
    /// The key of every slot, once each. The key that was checked least recently is first.
    private var order: Deque<Key> = []

    /// The number of slots, including those of released models.
    var count: Int { slots.count }

    /// Returns the date at which a response was merged into a property of a model; `nil` if it was not merged.
    func date(of requestID: UUID, in model: AnyObject, _ target: Target) -> Date? {
        guard let slot = slots[key(requestID, model, target)], slot.model === model else { return nil }
        return slot.mergedAt
    }

    /// Records a merge.
    mutating func merged(_ requestID: UUID, into model: AnyObject, _ target: Target, at date: Date) {
        let key = key(requestID, model, target)
        if slots.updateValue(Slot(model: model, mergedAt: date), forKey: key) == nil { order.append(key) }
        for _ in 0..<2 {
            guard let oldest = order.popFirst() else { return }
            if slots[oldest]?.model == nil { slots[oldest] = nil } else { order.append(oldest) }
        }
    }

    private func key(_ requestID: UUID, _ model: AnyObject, _ target: Target) -> Key {
        Key(requestID: requestID, model: ObjectIdentifier(model), target: target)
    }
}
