#if os(macOS) || os(Linux)
/// The state and the content check of an answer that is streamed while the program writes it.
///
/// The tally holds bytes back until the first bytes match the promised format. So an error message is never played as
/// sound. Text is not held back: the tally passes it on and checks that it is UTF-8.
struct OutputTally: Sendable, Hashable {
    /// The number of bytes that are kept from the beginning, for the check at the end. An answer up to this size is
    /// checked like an answer that does not stream.
    static let keptBytes = 64 << 10
    /// The number of bytes that are enough to recognize every format.
    private static let signatureBytes = 12

    private let content: CommandContent
    /// The number of bytes received.
    private(set) var byteCount = 0
    private var beginning: [UInt8] = []
    private var isPassing = false
    /// The problem of the bytes received so far; `nil` if there is none.
    private(set) var problem: String?

    /// Creates a tally without bytes.
    init(content: CommandContent) {
        self.content = content
    }

    /// Records received bytes. Returns the bytes to pass on now, including bytes that were held back; `nil` if there
    /// are none.
    mutating func came(_ bytes: [UInt8]) -> [UInt8]? {
        byteCount += bytes.count
        let kept = beginning.count
        if kept < Self.keptBytes { beginning += bytes.prefix(Self.keptBytes - kept) }
        if isPassing { return bytes }
        guard problem == nil else { return nil }
        switch content {
        case .text, .data: break
        case .audio, .image:
            guard byteCount >= Self.signatureBytes else { return nil }
            problem = ContentProbe.problem(ofBeginning: beginning, as: content)
            guard problem == nil else { return nil }
        }
        isPassing = true
        return kept == 0 ? bytes : beginning + bytes.dropFirst(beginning.count - kept)
    }

    /// Records the end of the output. Returns held-back bytes that were too few to check before.
    mutating func ended() -> [UInt8]? {
        let heldBack = isPassing || problem != nil || beginning.isEmpty ? nil : beginning
        switch content {
        case .text where byteCount > 0: break
        case .text, .data, .audio, .image:
            if problem == nil, byteCount <= Self.keptBytes {
                problem = ContentProbe.problem(of: beginning, as: content)
            }
        }
        return problem == nil ? heldBack : nil
    }
}
#endif
