/// A clock of any type.
struct FaceClock: Sendable {
    /// The time since this value was created.
    let elapsed: @Sendable () -> Duration
    /// Waits. Throws `CancellationError` if the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }
}
