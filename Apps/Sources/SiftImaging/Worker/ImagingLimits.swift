/// The memory, processor time and pixels that a worker process may use, and the time that a photo may take.
public struct ImagingLimits: Sendable, Hashable {
    /// The largest width × height that is decoded at all. Default 400 million.
    public var maximumPixels: UInt64
    /// The largest width × height that a full-size picture has; larger photos are reduced to it. Default 100 million.
    public var maximumFullPixels: UInt64
    /// The private memory in bytes that a worker may have; beyond it allocations fail. Default 1.5 GiB.
    public var memory: UInt64
    /// The processor time in seconds that a job may use; then the kernel ends the worker. Default 30.
    public var processorSeconds: UInt64
    /// The time that a job may take from being sent to its last answer; then the worker is ended. Default 40 s.
    public var timeout: Duration
    /// The time that a new worker may take until it is ready. Default 20 s.
    public var startTimeout: Duration
    /// The number of threads with which libvips decodes in one worker. Default 1, because several workers run.
    public var threads: Int

    /// Creates limits.
    public init(
        maximumPixels: UInt64 = 400_000_000, maximumFullPixels: UInt64 = 100_000_000, memory: UInt64 = 1536 << 20,
        processorSeconds: UInt64 = 30, timeout: Duration = .seconds(40), startTimeout: Duration = .seconds(20),
        threads: Int = 1
    ) {
        self.maximumPixels = maximumPixels
        self.maximumFullPixels = maximumFullPixels
        self.memory = memory
        self.processorSeconds = processorSeconds
        self.timeout = timeout
        self.startTimeout = startTimeout
        self.threads = threads
    }

    /// The largest message in bytes that a worker may send. A picture of 100 million pixels stays far below it.
    static let maximumFrame = 256 << 20

    /// The part that a worker has to know, as the first message to it.
    var encoded: [UInt8] {
        var writer = WireWriter()
        for number in [maximumPixels, maximumFullPixels, memory, processorSeconds, UInt64(clamping: threads)] {
            writer.write(number)
        }
        return writer.bytes
    }

    /// Reads what ``encoded`` wrote.
    init(decoding payload: [UInt8]) throws(WireViolation) {
        var reader = WireReader(payload)
        self.init()
        maximumPixels = try reader.integer()
        maximumFullPixels = try reader.integer()
        memory = try reader.integer()
        processorSeconds = try reader.integer()
        threads = Int(clamping: try reader.integer(UInt64.self))
        try reader.end()
    }
}
