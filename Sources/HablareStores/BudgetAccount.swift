package import Hablare

/// The amount that was spent of a budget in one period. This type is pure. Stores use it to compute the rows of their
/// budgets.
package struct BudgetAccount: Sendable, Hashable, Codable {
    package struct Share: Sendable, Hashable, Codable {
        /// The amount in micro-dollars.
        package var amount: Int64
        package var isUnknown: Bool

        package init(amount: Int64, isUnknown: Bool) {
            self.amount = amount
            self.isUnknown = isUnknown
        }

        /// Creates the amount that counts while an attempt is in flight. This amount is the attempt's maximum cost.
        package init(reserving bound: Int64?) {
            self.init(amount: max(0, bound ?? 0), isUnknown: bound == nil)
        }

        /// Creates the amount that counts when the end of an attempt is in the ledger. This amount is the attempt's
        /// cost, or zero if the attempt was not billed. If the attempt may have been billed and its cost is unknown,
        /// the reserved amount counts.
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
    /// The number of attempts that count as 0 because their cost is unknown.
    package private(set) var unknown: Int

    package init(spent: Int64 = 0, unknown: Int = 0) {
        self.spent = spent
        self.unknown = unknown
    }

    /// Returns whether the budget accepts an attempt. If the maximum cost of the attempt is known, the budget accepts
    /// the attempt if that amount is left. If the maximum cost is unknown, the budget accepts the attempt if any amount
    /// is left, unless the charge refuses unknown costs.
    package func takes(_ charge: BudgetCharge) -> Bool {
        guard let bound = charge.bound else { return !charge.refusesUnknown && spent < charge.limit }
        return bound <= 0 || bound <= left(of: charge.limit)
    }

    /// Returns the amount that is left of a limit, at least 0. The spent amount can exceed the limit, because an
    /// attempt may cost more than its estimated maximum, and a limit may be lowered.
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
