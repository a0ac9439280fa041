import Hablare

/// Owns at most one task. A new one takes the place of the running one, which is cancelled.
///
/// The only place of the view model that starts tasks. The owner of the slot calls ``close()`` in the end.
@MainActor
final class TaskSlot {
    private var task: Task<Void, Never>?
    private var ending: [Task<Void, Never>] = []
    private var isClosed = false

    /// Cancels the running task and starts another one.
    func replace(_ work: @escaping @MainActor () async -> Void) {
        guard !isClosed else { return }
        cancel()
        task = Task { @MainActor in await work() }
    }

    /// Cancels the running task.
    func cancel() {
        guard let task else { return }
        task.cancel()
        ending.append(task)
        self.task = nil
        // Cancelled tasks end soon. Those that were cancelled long before are over.
        if ending.count > 16 { ending.removeFirst(ending.count - 16) }
    }

    /// Waits until the running task and the cancelled ones have ended. Starts none after that.
    func close() async {
        isClosed = true
        cancel()
        for task in ending { await task.value }
        ending = []
    }
}

/// Delivers the newest value to a closure, at a bounded pace.
@MainActor
final class Paced<Value: Sendable> {
    /// When a value is delivered.
    enum Pace {
        /// After a pause without another value.
        case debounce(Duration)
        /// At once, and then at most once in each interval, the newest value.
        case throttle(Duration)
    }

    private let pace: Pace
    private let clock: EngineClock
    private let deliver: @MainActor (Value) -> Void
    private let slot = TaskSlot()
    private var waiting: Value?
    private var lastDelivery: Duration?

    init(_ pace: Pace, clock: EngineClock, deliver: @escaping @MainActor (Value) -> Void) {
        self.pace = pace
        self.clock = clock
        self.deliver = deliver
    }

    func send(_ value: Value) {
        switch pace {
        case .debounce(let pause):
            waiting = value
            wait(pause)
        case .throttle(let interval):
            if waiting != nil {
                waiting = value
                return
            }
            let passed = lastDelivery.map { clock.now - $0 } ?? interval
            guard passed < interval else {
                lastDelivery = clock.now
                deliver(value)
                return
            }
            waiting = value
            wait(interval - passed)
        }
    }

    private func wait(_ time: Duration) {
        slot.replace { [weak self, clock] in
            do { try await clock.sleep(for: time) } catch { return }
            self?.timeIsUp()
        }
    }

    private func timeIsUp() {
        guard let value = waiting else { return }
        waiting = nil
        lastDelivery = clock.now
        deliver(value)
    }

    func close() async { await slot.close() }
}
