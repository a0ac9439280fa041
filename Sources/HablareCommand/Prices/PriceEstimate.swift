import Foundation
import Hablare

/// What calls that were not made yet would cost at most.
struct PriceEstimate: Sendable, Hashable {
    /// In millionths of a US dollar; `nil` where nobody knows.
    let microDollars: Int64?
    /// Whether anybody is paid at all.
    let isCharged: Bool

    /// Adds up what is known.
    init(
        of places: [Int], _ installed: InstalledProvider, _ prices: PriceTable, at date: Date,
        request: (Int) -> AIRequest
    ) {
        isCharged = installed.hasPrice
        guard installed.hasPrice else {
            microDollars = 0
            return
        }
        var sum: Int64? = 0
        for place in places {
            guard let so = sum, let cost = prices.mostCost(of: request(place), at: installed.provider, on: date) else {
                sum = nil
                break
            }
            sum = so.addingReportingOverflow(cost).overflow ? nil : so + cost
        }
        microDollars = sum
    }

    /// The words for a person; `nil` where nobody is paid.
    var line: String? {
        guard isCharged else { return nil }
        guard let microDollars else {
            return "what it costs is not known: there is no price for it, see docs/prices.md"
        }
        return
            "costs about \(MicroDollars.text(microDollars)), not more unless a voice costs extra or calls are tried again"
    }
}
