public import Hablare

/// The options for watching a request.
public struct RequestWatchOptions: Sendable {
    /// Whether the streamed answer is read, and shown if it is text. A complete answer is then shown as done together
    /// with its text. It is shown without text only if the text exceeds ``textLimit`` or cannot be read. Default:
    /// `true`.
    public var showsText: Bool
    /// The maximum number of bytes of a text to show, in UTF-8. Of a longer streamed text, the newest part is shown.
    /// Default: 256 KiB.
    public var textLimit: Int
    /// The interval for polling values that no event reports. These are the place in the queue while the request waits,
    /// and a retry while the rest of a failed answer is read. Default: a second.
    public var positionInterval: Duration
    /// The clock for the interval. Default: the continuous clock.
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
