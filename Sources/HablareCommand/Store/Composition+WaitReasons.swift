import Hablare

extension Composition {
    /// Says why requests wait at this moment, as far as it takes more than their rows to know: limits, failing
    /// providers, providers that are not here.
    ///
    /// - Throws: `AIServiceError` of category storage.
    func explained(_ snapshots: [RequestSnapshot], of store: any StoreReading) throws -> [RequestSnapshot] {
        let explained = try store.explaining(snapshots, now: seams.date())
        guard explained.contains(where: \.isUnclaimed) else { return explained }
        let known = Set(try providers(.forAsking).map(\.provider.id))
        return explained.map { snapshot in
            guard snapshot.isUnclaimed, !known.contains(snapshot.providerID) else { return snapshot }
            var snapshot = snapshot
            snapshot.waiting = .noProvider
            return snapshot
        }
    }
}

extension RequestSnapshot {
    fileprivate var isUnclaimed: Bool {
        if case .unclaimed = waiting { true } else { false }
    }
}
