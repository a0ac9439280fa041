import CoreMetrics
import Synchronization

/// A metrics backend as one that is scraped keeps its numbers: a count or a sum for each label, nothing else.
struct CountingMetrics: MetricsFactory {
    private let instruments = Instruments()

    /// What was counted in all: that the engine did report.
    var total: Int { instruments.total }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { instruments.next() }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        instruments.next()
    }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { instruments.next() }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { instruments.next() }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Instruments: Sendable {
        private let made = Mutex<[Instrument]>([])

        var total: Int { made.withLock { $0.reduce(0) { $0 + $1.count } } }

        func next() -> Instrument {
            let instrument = Instrument()
            made.withLock { $0.append(instrument) }
            return instrument
        }
    }

    /// Any instrument: how often it was told something, and the sum of it.
    private final class Instrument: CounterHandler, RecorderHandler, MeterHandler, TimerHandler {
        private let told = Atomic(0)
        private let sum = Atomic<Int64>(0)

        var count: Int { told.load(ordering: .relaxed) }

        private func add(_ value: Int64) {
            told.add(1, ordering: .relaxed)
            sum.wrappingAdd(value, ordering: .relaxed)
        }

        func increment(by amount: Int64) { add(amount) }
        func increment(by amount: Double) { add(Int64(amount)) }
        func decrement(by amount: Double) { add(-Int64(amount)) }
        func record(_ value: Int64) { add(value) }
        func record(_ value: Double) { add(Int64(value)) }
        func set(_ value: Int64) { add(value) }
        func set(_ value: Double) { add(Int64(value)) }
        func recordNanoseconds(_ duration: Int64) { add(duration) }
        func reset() {}
    }
}
