import CoreMetrics
import Synchronization

/// Metrics that keep one thing: the longest time that one timer was told.
final class LongestTimer: MetricsFactory {
    private final class Timer: TimerHandler {
        let longest = Atomic<Int64>(0)

        func recordNanoseconds(_ duration: Int64) {
            var known = longest.load(ordering: .relaxed)
            while duration > known {
                let (isDone, found) = longest.compareExchange(
                    expected: known, desired: duration, ordering: .relaxed)
                if isDone { return }
                known = found
            }
        }
    }

    private let label: String
    private let timer = Timer()

    init(of label: String) { self.label = label }

    var milliseconds: Double { Double(timer.longest.load(ordering: .relaxed)) / 1e6 }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        label == self.label ? timer : NOOPMetricsHandler.instance
    }
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        NOOPMetricsHandler.instance
    }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { NOOPMetricsHandler.instance }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
}
