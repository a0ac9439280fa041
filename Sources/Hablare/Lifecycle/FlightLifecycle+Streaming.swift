extension FlightLifecycle {
    /// Why chunks are not added to the flight's output, of whose newest generation so many are journalled; `nil` when
    /// they are.
    ///
    /// Only the attempt under way adds, and without a gap: what readers saw is never followed by anything but its
    /// continuation.
    public func refusal(of group: ChunkGroup, journalled: Int) -> Refusal? {
        switch state {
        case .settled(let settlement): .settled(settlement)
        case .executing where token == group.token && generation == group.generation:
            group.first == journalled ? nil : .outOfOrder
        case .waiting, .backingOff, .held, .leased, .executing: .staleToken
        }
    }
}
