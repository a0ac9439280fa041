#if os(macOS) || os(Linux)
/// What came of an answer that is handed over while it is made, and whether it is what was promised. Pure.
///
/// Nothing is handed over before its first bytes are known to be those of the promised format, so that nobody is played
/// an error message. A text is passed on at once: whether it is UTF-8 is found out on its way.
struct OutputTally: Sendable, Hashable {
    /// So much of the beginning is kept, to be judged at the end. An answer that is no longer is judged as one that
    /// does not stream.
    static let keptBytes = 64 << 10
    /// So many bytes tell every format.
    private static let signatureBytes = 12

    private let content: CommandContent
    /// How many bytes came.
    private(set) var byteCount = 0
    private var beginning: [UInt8] = []
    private var isPassing = false
    /// What is wrong with what came; `nil` when nothing is, as far as it is known.
    private(set) var problem: String?

    /// Nothing came yet.
    init(content: CommandContent) {
        self.content = content
    }

    /// Bytes came. Answers with those to hand over now, which may be more, or none.
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

    /// No more comes. Answers with bytes to hand over that were too few to be told.
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
