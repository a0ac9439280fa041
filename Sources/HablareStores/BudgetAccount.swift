package import Hablare

/// What was spent of a budget in one period: the deciding machine of the store's budget rows. Pure.
package struct BudgetAccount: Sendable, Hashable, Codable {
    package struct Share: Sendable, Hashable, Codable {
        /// In micro-dollars.
        package var amount: Int64
        package var isUnknown: Bool

        package init(amount: Int64, isUnknown: Bool) {
            self.amount = amount
            self.isUnknown = isUnknown
        }

        /// What an attempt that can cost so much at most counts for while it is under way.
        package init(reserving bound: Int64?) {
            self.init(amount: max(0, bound ?? 0), isUnknown: bound == nil)
        }

        /// What an attempt counts for once its end is in the ledger: what it cost; nothing if it was not billed; its
        /// reservation where it was, or may have been, and nobody knows what it cost.
        package init(settling record: AttemptRecord, reserved bound: Int64?) {
            if let cost = record.usage.costMicroDollars {
                self.init(amount: max(0, cost), isUnknown: false)
            } else if record.billing == .neverSent {
                self.init(amount: 0, isUnknown: false)
            } else {
                self.init(reserving: bound)
            }
        }
    }

    package private(set) var spent: Int64
    /// How many attempts count for nothing because nobody knows what they cost.
    package private(set) var unknown: Int

    package init(spent: Int64 = 0, unknown: Int = 0) {
        self.spent = spent
        self.unknown = unknown
    }

    /// Whether an attempt fits: what it can cost at most is left. One of unknown cost needs something to be left, however
    /// little, and a budget that takes it.
    package func takes(_ charge: BudgetCharge) -> Bool {
        guard let bound = charge.bound else { return !charge.refusesUnknown && spent < charge.limit }
        return bound <= 0 || bound <= left(of: charge.limit)
    }

    /// What is left of a limit; none of less than zero, which is possible where an attempt cost more than its bound, or
    /// where the limit was lowered.
    package func left(of limit: Int64) -> Int64 {
        let (left, overflows) = limit.subtractingReportingOverflow(spent)
        return overflows ? 0 : max(0, left)
    }

    package mutating func change(from old: Share?, to new: Share) {
        // A damaged row may hold any number, and stays at the farthest.
        let (without, below) = spent.subtractingReportingOverflow(old?.amount ?? 0)
        let (sum, above) = (below ? 0 : max(0, without)).addingReportingOverflow(new.amount)
        spent = above ? .max : sum
        unknown = max(0, unknown &+ (new.isUnknown ? 1 : 0) &- (old?.isUnknown == true ? 1 : 0))
    }
}
