import Foundation

/// An exact sum over attempts. It computes with 128-bit numbers, and clamps them only when ``sum`` is read.
package struct LedgerTally: Sendable {
    /// The quantities that are summed, in the order of ``Usage``. The counts of attempts are kept separately. Durations
    /// are in microseconds.
    package enum Quantity: Int, Sendable, CaseIterable {
        case inputTokens, outputTokens, characters, bytes, audioMilliseconds, cost, microseconds, cachedInputTokens,
            cacheWriteTokens, imageInputTokens, audioInputTokens, audioOutputTokens
    }

    private var counts = LedgerSum()
    private var hasCost = false
    private var quantities = [Int128](repeating: 0, count: Quantity.allCases.count)

    package init() {}

    package mutating func add(_ record: AttemptRecord) {
        add(record.usage)
        counts.attempts += 1
        counts.failed += record.outcome == .failed || record.outcome == .lost ? 1 : 0
        counts.billed += record.billing == .billed || record.billing == .billedDiscarded ? 1 : 0
        counts.discarded += record.billing == .billedDiscarded ? 1 : 0
        counts.maybeBilled += record.billing == .maybeBilled ? 1 : 0
        counts.withoutCost += record.billing != .neverSent && record.usage.costMicroDollars == nil ? 1 : 0
        let microseconds =
            (record.endedAt.timeIntervalSince1970 * 1_000_000).rounded()
            - (record.startedAt.timeIntervalSince1970 * 1_000_000).rounded()
        add(Int64(exactly: max(0, microseconds)) ?? .max, to: .microseconds)
    }

    mutating func add(_ usage: Usage) {
        hasCost = hasCost || usage.costMicroDollars != nil
        add(usage.inputTokens, to: .inputTokens)
        add(usage.outputTokens, to: .outputTokens)
        add(usage.characters, to: .characters)
        add(usage.bytes, to: .bytes)
        add(usage.audioMilliseconds, to: .audioMilliseconds)
        add(usage.costMicroDollars ?? 0, to: .cost)
        add(usage.cachedInputTokens, to: .cachedInputTokens)
        add(usage.cacheWriteTokens, to: .cacheWriteTokens)
        add(usage.imageInputTokens, to: .imageInputTokens)
        add(usage.audioInputTokens, to: .audioInputTokens)
        add(usage.audioOutputTokens, to: .audioOutputTokens)
    }

    private mutating func add(_ number: Int64, to quantity: Quantity) {
        quantities[quantity.rawValue] += Int128(number)
    }

    /// Adds a sum over many attempts that another tally, or a query, has computed.
    package mutating func add(
        attempts: Int, failed: Int, billed: Int, discarded: Int, maybeBilled: Int, withoutCost: Int, withCost: Int,
        quantities sums: [Int128]
    ) {
        counts.attempts += attempts
        counts.failed += failed
        counts.billed += billed
        counts.discarded += discarded
        counts.maybeBilled += maybeBilled
        counts.withoutCost += withoutCost
        hasCost = hasCost || withCost > 0
        for (index, sum) in sums.enumerated() where index < quantities.count { quantities[index] += sum }
    }

    /// The sum. Quantities that are too large are clamped.
    package var sum: LedgerSum {
        func value(_ quantity: Quantity) -> Int64 { Int64(clamping: quantities[quantity.rawValue]) }
        var sum = counts
        sum.usage = Usage(
            inputTokens: value(.inputTokens), outputTokens: value(.outputTokens), characters: value(.characters),
            bytes: value(.bytes), audioMilliseconds: value(.audioMilliseconds),
            costMicroDollars: hasCost ? value(.cost) : nil, cachedInputTokens: value(.cachedInputTokens),
            cacheWriteTokens: value(.cacheWriteTokens), imageInputTokens: value(.imageInputTokens),
            audioInputTokens: value(.audioInputTokens), audioOutputTokens: value(.audioOutputTokens))
        sum.duration = .microseconds(value(.microseconds))
        return sum
    }
}
