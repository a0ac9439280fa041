#if os(macOS) || os(Linux)
/// The state of an answer that is streamed while the program writes it, and the check of its content. Pure.
///
/// No bytes are passed on until the first ones match the promised format, so an error message is never played as sound.
/// A text is passed on at once; it is checked for UTF-8 as it passes.
struct OutputTally: Sendable, Hashable {
    /// The number of bytes kept from the beginning, to be checked at the end. An answer up to this size is checked like
    /// one that is not streamed.
    static let keptBytes = 64 << 10
    /// The number of bytes that identify every format.
    private static let signatureBytes = 12

    private let content: CommandContent
    /// The number of bytes received.
    private(set) var byteCount = 0
    private var beginning: [UInt8] = []
    private var isPassing = false
    /// The problem of the bytes received; `nil` if none is known.
    private(set) var problem: String?

    /// Creates a tally without bytes.
    init(content: CommandContent) {
        self.content = content
    }

    /// Records bytes and returns those to pass on now, which may include held-back bytes, or `nil`.
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

    /// Records the end and returns held-back bytes that were too few to check before.
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
