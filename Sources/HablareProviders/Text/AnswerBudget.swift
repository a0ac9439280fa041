import Hablare

/// How much of an answer may be kept in memory while it comes: everything that is kept is charged, be it text, a call of
/// a tool, a thought, or only the place that one of them takes. Pure.
struct AnswerBudget: Sendable, Hashable {
    /// 16 MiB, many times what any model writes.
    static let usual = 16 << 20
    /// What a block, a call or an item takes beside its bytes.
    static let place = 256

    /// The most that is kept, in bytes.
    let limit: Int
    /// What is kept so far, in bytes.
    private(set) var kept = 0

    init(limit: Int = Self.usual) { self.limit = limit }

    /// Takes room for so many bytes.
    ///
    /// - Throws: ``TextFault/tooLarge(limit:)`` where there is none.
    mutating func charge(_ count: Int) throws(TextFault) {
        guard count <= limit - kept else { throw .tooLarge(limit: limit) }
        kept += count
    }

    /// Takes room for a text.
    mutating func charge(_ text: String) throws(TextFault) { try charge(text.utf8.count) }

    /// Takes room for a value tree.
    mutating func charge(_ value: ParameterValue) throws(TextFault) { try charge(Int(clamping: value.weight)) }
}
