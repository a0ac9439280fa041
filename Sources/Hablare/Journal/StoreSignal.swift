/// Wakes a process when another one has written to the store.
public protocol StoreSignal: Sendable {
    /// A sequence that yields after something was written to the store, by any process: one element for many writes,
    /// and perhaps one for none. Ends when its task is cancelled.
    func changes() -> AsyncStream<Void>
}
