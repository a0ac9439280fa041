public import Hablare

/// The options for watching a request.
///
/// ```swift
/// let options = RequestWatchOptions(textLimit: 16 << 10, positionInterval: .seconds(5))
/// ```
public struct RequestWatchOptions: Sendable {
    /// Whether to read the answer as it arrives, and to show it if it is text. Default: `true`.
    ///
    /// If `true`, a complete answer is shown together with its text, unless the text exceeds ``textLimit`` or cannot be
    /// read. Use `false` for a list that shows only the state of each request.
    public var showsText: Bool
    /// The maximum number of bytes of a text that is shown, in UTF-8. If a streamed text is longer, its newest part is
    /// shown. Default: 256 KiB. For example, use `16 << 10` (16 KiB) for a preview.
    public var textLimit: Int
    /// The interval at which the watch polls. Default: one second. For example, use `.seconds(5)` for a screen with
    /// many requests.
    ///
    /// The watch polls two facts that no event reports: the queue position while the request waits, and, after a
    /// failure, whether the request was retried while its remaining text is read.
    public var positionInterval: Duration
    /// The clock for the interval. Default: the continuous clock. In a test that moves the time of a `ManualClock`, use
    /// `EngineClock(clock)`.
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
