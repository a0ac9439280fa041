import Foundation
import Hablare

/// An estimate of the cost of a narration: characters times price. Shown before a paid voice reads.
public struct NarrationCost: Sendable, Hashable {
    /// The number of characters to speak.
    public var characters = 0
    /// The number of calls.
    public var calls = 0
    /// The cost in millionths of a US dollar; `nil` if no price is known.
    public var microDollars: Int64? = 0

    /// Creates an estimate of nothing.
    public init() {}

    /// Adds the cost of other work, such as another chapter of the same book.
    public mutating func add(_ other: NarrationCost) {
        characters += other.characters
        calls += other.calls
        microDollars = Self.sum(microDollars, other.microDollars)
    }

    /// Adds the cost of a request. A voice that is not paid costs nothing.
    mutating func add(
        _ request: AIRequest, at provider: any AIServiceProvider, isPaid: Bool, prices: PriceTable, on date: Date
    ) {
        characters += request.prompt.plainText.unicodeScalars.count
        calls += 1
        microDollars = Self.sum(microDollars, isPaid ? prices.mostCost(of: request, at: provider, on: date) : 0)
    }

    private static func sum(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return nil }
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? nil : sum
    }
}
