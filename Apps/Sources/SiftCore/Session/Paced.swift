import Hablare
import HablarePresentation

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
