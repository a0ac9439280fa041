/// The bounds of a server. Each has a default that suits one person on one machine.
public struct FaceLimits: Sendable {
    /// The largest body of a request, in bytes. A larger body gets the status 413. Default: 64 KiB.
    public var bodyBytes = 64 << 10
    /// The largest header field, in bytes. A larger field gets the status 400, and the connection is closed.
    /// Default: 8 KiB.
    public var headerFieldBytes = 8 << 10
    /// The largest sum of all header fields, in bytes. A larger list gets the status 400, and the connection is closed.
    /// Default: 32 KiB.
    public var headerBytes = 32 << 10
    /// The largest number of header fields. Longer lists get the status 400, and the connection is closed. Default: 64.
    public var headerFields = 64
    /// The largest number of open connections, over all addresses. The server answers one more with the status 503 and
    /// closes it. Default: 64.
    public var connections = 64
    /// The largest number of open event streams. One more gets the status 503 with `Retry-After`. A browser needs one.
    /// Default: 16.
    public var streams = 16
    /// The longest time from a request's header to the end of its body. Then the connection is closed. Default: 30 s.
    public var requestTime = Duration.seconds(30)
    /// The longest time that a connection stays open without a complete header of a request. Default: 75 s.
    public var idleTime = Duration.seconds(75)
    /// The longest time that a client may leave a full send buffer, of 64 KiB, untouched. Then the connection is closed.
    /// Default: 30 s.
    public var stallTime = Duration.seconds(30)
    /// The longest time that the server waits for open requests after it was asked to stop. Then it closes them.
    /// Default: 10 s.
    public var drainTime = Duration.seconds(10)
    /// The number of wrong passwords that are answered within a minute. After that, all passwords are refused with the
    /// status 429 until the minute is over. Default: 10.
    public var wrongPasswords = 10

    /// Creates the default limits.
    public init() {}
}
