public import Hablare

/// The options for watching a request.
///
/// ```swift
/// let options = RequestWatchOptions(textLimit: 16 << 10, positionInterval: .seconds(5))
/// ```
public struct RequestWatchOptions: Sendable {
    /// Whether to read the streamed answer, and to show it if it is text. If `true`, a complete answer is shown
    /// together with its text. It is shown without text only if the text exceeds ``textLimit`` or cannot be read.
    /// Default: `true`. For example, `false` for a list that shows only the state of each request.
    public var showsText: Bool
    /// The maximum number of bytes of a text that is shown, in UTF-8. Of a longer streamed text, the newest part is
    /// shown. Default: 256 KiB. For example, `16 << 10` (16 KiB) for a preview.
    public var textLimit: Int
    /// The interval for polling two facts that no event reports. While the request waits, its queue position is polled.
    /// While the remaining text of a failed request is read, the watch polls whether the request was retried. Default:
    /// one second. For example, `.seconds(5)` for a screen with many requests.
    public var positionInterval: Duration
    /// The clock for the interval. Default: the continuous clock. For example, `EngineClock(clock)` in a test that
    /// moves the time of a `ManualClock`.
    public var clock: EngineClock

    /// Creates options.
    public init(
        showsText: Bool = true, textLimit: Int = 256 << 10, positionInterval: Duration = .seconds(1),
        clock: EngineClock = EngineClock(ContinuousClock())
    ) {
        self.showsText = showsText
        self.textLimit = textLimit
        self.positionInterval = positionInterval
        self.clock = clock
    }
}
