package import Hablare

/// The amount spent of a budget in one period: the state machine of the store's budget rows. Pure.
package struct BudgetAccount: Sendable, Hashable, Codable {
    package struct Share: Sendable, Hashable, Codable {
        /// In micro-dollars.
        package var amount: Int64
        package var isUnknown: Bool

        package init(amount: Int64, isUnknown: Bool) {
            self.amount = amount
            self.isUnknown = isUnknown
        }

        /// Creates the share of an attempt in flight with a maximum cost.
        package init(reserving bound: Int64?) {
            self.init(amount: max(0, bound ?? 0), isUnknown: bound == nil)
        }

        /// Creates the share of an attempt whose end is in the ledger: its cost, or nothing if it was not billed. If it
        /// was or may have been billed at an unknown cost, its reservation.
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
    /// The number of attempts that count for nothing because their cost is unknown.
    package private(set) var unknown: Int

    package init(spent: Int64 = 0, unknown: Int = 0) {
        self.spent = spent
        self.unknown = unknown
    }

    /// Returns whether an attempt fits: its maximum cost is left. An attempt of unknown cost needs any amount to be
    /// left, and a budget that accepts it.
    package func takes(_ charge: BudgetCharge) -> Bool {
        guard let bound = charge.bound else { return !charge.refusesUnknown && spent < charge.limit }
        return bound <= 0 || bound <= left(of: charge.limit)
    }

    /// Returns the amount left of a limit, at least 0. More than the limit can be spent if an attempt cost more than
    /// its bound, or if the limit was lowered.
    package func left(of limit: Int64) -> Int64 {
        let (left, overflows) = limit.subtractingReportingOverflow(spent)
        return overflows ? 0 : max(0, left)
    }

    package mutating func change(from old: Share?, to new: Share) {
        // A damaged row may hold any number. The sum is clamped.
        let (without, below) = spent.subtractingReportingOverflow(old?.amount ?? 0)
        let (sum, above) = (below ? 0 : max(0, without)).addingReportingOverflow(new.amount)
        spent = above ? .max : sum
        unknown = max(0, unknown &+ (new.isUnknown ? 1 : 0) &- (old?.isUnknown == true ? 1 : 0))
    }
}
