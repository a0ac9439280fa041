extension FlightLifecycle {
    /// Why a live member of the flight waits, as far as the flight itself knows; `nil` when it does not wait.
    ///
    /// - Parameter ahead: Counts the flights of the same provider before this one; asked only where it matters.
    public func waitReason(countingAhead ahead: () throws -> Int?) rethrows -> RequestSnapshot.WaitReason? {
        switch state {
        case .waiting: .unclaimed(ahead: try ahead())
        case .leased: .queued(ahead: try ahead())
        case .backingOff(let until): .backingOff(until: until)
        case .held: .held
        case .executing, .settled: nil
        }
    }
}
