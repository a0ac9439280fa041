public import Hablare

/// How a request is watched.
public struct RequestWatchOptions: Sendable {
    /// Whether the answer is read as it is streamed, and shown where it is text. One that is complete is shown as done once its
    /// text was read, with it; without, only where it is longer than ``textLimit``, or cannot be read. Default: `true`.
    public var showsText: Bool
    /// How many bytes of a text are shown at most, in UTF-8; of a longer one that is being streamed its newest part. Default:
    /// 256 KiB.
    public var textLimit: Int
    /// How often a request is asked for what nobody tells by itself: while it waits, for its place in the queue; while what had
    /// come of a failed one is read, whether somebody retried it. Default: a second.
    public var placeInterval: Duration
    /// What is waited by. Default: the continuous clock.
    public var clock: EngineClock

    /// Creates options.
    public init(
        showsText: Bool = true, textLimit: Int = 256 << 10, placeInterval: Duration = .seconds(1),
        clock: EngineClock = EngineClock(ContinuousClock())
    ) {
        self.showsText = showsText
        self.textLimit = textLimit
        self.placeInterval = placeInterval
        self.clock = clock
    }
}
