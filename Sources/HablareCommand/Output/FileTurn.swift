import Hablare
import HablareAudio

/// The turn to write a file: there is one who writes it at a time, and the next one waits. Two that make the same, such as
/// a command that was started twice, both end well so.
struct FileTurn: Sendable {
    /// The pause between two looks whether it is our turn.
    static let pause = Duration.milliseconds(200)

    var clock = EngineClock(ContinuousClock())
    /// Told once when somebody else writes the file.
    var waiting: @Sendable () -> Void = {}

    /// Writes when it is our turn.
    ///
    /// - Parameter body: Refused with the code `busy` while somebody else writes; then it is called again.
    /// - Throws: What the body throws; `CancellationError` while it waits.
    func write<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        var isTold = false
        while true {
            do {
                return try await body()
            } catch let error as AudioError where error.code == .busy {
                if !isTold { waiting() }
                isTold = true
                try await clock.sleep(for: Self.pause)
            }
        }
    }
}

extension FileTurn {
    /// The turn to write a file, of which it is said that it is waited for.
    init(at name: String, _ clock: EngineClock, _ console: Console?, isQuiet: Bool) {
        self.init(clock: clock) {
            if !isQuiet { console?.note("Another command is just writing \(name). Waiting until it is done.") }
        }
    }
}
