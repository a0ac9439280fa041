import Hablare

/// The memory limit of an answer that is being received. It counts everything that is kept: text, tool calls, thinking,
/// and an overhead for each item.
struct AnswerBudget: Sendable, Hashable {
    /// The usual limit in bytes: 16 MiB, many times the size of the longest answer of any model.
    static let usual = 16 << 20
    /// The overhead of a block, a call or an item, in bytes.
    static let itemOverhead = 256

    /// The limit in bytes.
    let limit: Int
    /// The number of bytes kept so far.
    private(set) var kept = 0

    init(limit: Int = Self.usual) { self.limit = limit }

    /// Counts a number of bytes.
    ///
    /// - Throws: ``TextFault/tooLarge(limit:)`` if the bytes kept exceed the limit.
    mutating func charge(_ count: Int) throws(TextFault) {
        guard count <= limit - kept else { throw .tooLarge(limit: limit) }
        kept += count
    }

    /// Counts the bytes of a text.
    mutating func charge(_ text: String) throws(TextFault) { try charge(text.utf8.count) }

    /// Counts the approximate bytes of a JSON value.
    mutating func charge(_ value: ParameterValue) throws(TextFault) { try charge(Int(clamping: value.weight)) }
}
