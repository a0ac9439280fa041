import Hablare
import HablareSupport

final class ProgressReporter: Sendable {
    enum Manner: Sendable, Hashable {
        case bar
        case lines
        case silent
    }

    private static let barInterval = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(5)

    private let state: Locked<Tally>
    private let console: Console
    private let clock: EngineClock
    private let manner: Manner
    private let bar: ProgressBar
    private let start: Duration
    private let lastLine = Locked("")

    init(_ progress: Tally, manner: Manner, console: Console, clock: EngineClock) {
        state = Locked(progress)
        self.manner = manner
        self.console = console
        self.clock = clock
        bar = ProgressBar(allowsUnicode: console.terminal.allowsUnicode, style: console.errorStyle)
        start = clock.now
    }

    var current: Tally {
        var progress = state.withLock { $0 }
        progress.elapsed = (clock.now - start).inSeconds
        return progress
    }

    func update(_ change: (inout Tally) -> Void) {
        state.withLock { change(&$0) }
    }

    func run() async {
        if manner == .silent { return }
        repeat {
            show()
        } while await clock.sleepUnlessCancelled(for: manner == .bar ? Self.barInterval : Self.lineInterval)
        show()
        console.keepLine()
    }

    private func show() {
        switch manner {
        case .bar: console.draw(bar.line(current, width: console.terminal.width() - 1))
        case .lines:
            let progress = current
            let line = bar.plainLine(progress)
            // A log needs no repeated lines, and none before there is work.
            if progress.total > 0,
                lastLine.withLock({ last in
                    defer { last = line }
                    return last != line
                })
            {
                console.noteProgress(line)
            }
        case .silent: break
        }
    }
}
