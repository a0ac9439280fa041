import Hablare

/// What of a report was done by providers that charge nothing: programs of this machine.
struct UnpricedSums: Sendable {
    /// The whole of it.
    private(set) var total = LedgerSum()
    /// Who did.
    private(set) var providers: Set<String> = []
    private var rows: [String?: LedgerSum] = [:]

    /// Nothing was.
    init() {}

    /// Finds it out.
    ///
    /// - Parameter free: The providers that are known to charge nothing. Those each of whose attempts is known to have cost nothing
    ///   are found here; one attempt of unknown cost, and nobody can say so of the provider.
    init(of query: LedgerQuery, in store: any StoreReading, free: Set<String>) throws {
        var providers = query
        providers.grouping = .provider
        for row in try store.ledger(providers).rows {
            guard let name = row.key else { continue }
            guard row.sum.usage.costMicroDollars ?? 0 == 0, free.contains(name) || row.sum.withoutCost == 0 else {
                continue
            }
            try add(name, query, store)
        }
    }

    private mutating func add(_ provider: String, _ query: LedgerQuery, _ store: any StoreReading) throws {
        providers.insert(provider)
        var query = query
        query.provider = ProviderID(rawValue: provider)
        let report = try store.ledger(query)
        total.add(report.total)
        for row in report.rows { rows[row.key, default: LedgerSum()].add(row.sum) }
    }

    /// What of a row was.
    func row(_ key: String?) -> LedgerSum { rows[key] ?? LedgerSum() }
}

extension LedgerSum {
    fileprivate mutating func add(_ other: LedgerSum) {
        attempts += other.attempts
        billed += other.billed
        discarded += other.discarded
        maybeBilled += other.maybeBilled
        withoutCost += other.withoutCost
    }

    /// The sum without what some providers did for nothing: that was neither billed, nor is its cost unknown. Never below
    /// nothing, where an attempt's line changed between the two readings.
    func charged(without free: LedgerSum) -> LedgerSum {
        var sum = self
        sum.billed = max(0, sum.billed - free.billed)
        sum.discarded = max(0, sum.discarded - free.discarded)
        sum.maybeBilled = max(0, sum.maybeBilled - free.maybeBilled)
        sum.withoutCost = max(0, sum.withoutCost - free.withoutCost)
        return sum
    }
}
