public import Hablare

/// The options for watching a request.
///
/// ```swift
/// let options = RequestWatchOptions(textLimit: 16 << 10, positionInterval: .seconds(5))
/// ```
public struct RequestWatchOptions: Sendable {
    /// Whether the streamed answer is read, and shown if it is text. A complete answer is then shown as done together
    /// with its text. It is shown without text only if the text exceeds ``textLimit`` or cannot be read. Default:
    /// `true`. For example, `false` for a list that shows only the state of each request.
    public var showsText: Bool
    /// The maximum number of bytes of a text to show, in UTF-8. Of a longer streamed text, the newest part is shown.
    /// Default: 256 KiB. For example, `16 << 10` (16 KiB) for a preview.
    public var textLimit: Int
    /// The interval for polling values that no event reports. These are the position in the queue while the request
    /// waits, and a retry while the rest of a failed answer is read. Default: a second. For example, `.seconds(5)` for
    /// a screen with many requests.
    public var positionInterval: Duration
    /// The clock for the interval. Default: the continuous clock. For example, `EngineClock(clock)` in a test that
    /// moves the time of a `ManualClock` itself.
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
