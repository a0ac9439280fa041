/// What one attempt used, in the units its provider counts. Zero where it does not count a unit.
///
/// No number is negative. The engine keeps the answer of a provider that reports a negative count or cost, and logs an
/// error that names the provider. It takes nothing else of that report than a cost of zero or more: the counts are
/// zero, the cost is unknown, and what was reserved in a budget stays spent. Where only the cost is negative, the price
/// table says what the counts cost.
public struct Usage: Sendable, Hashable, Codable {
    /// Tokens read by a model, with those that came from or went to the provider's cache.
    public var inputTokens: Int64
    /// Tokens written by a model.
    public var outputTokens: Int64
    /// Characters (Unicode scalars) of text taken in.
    public var characters: Int64
    /// Bytes of content produced.
    public var bytes: Int64
    /// Milliseconds of sound taken in or produced.
    public var audioMilliseconds: Int64
    /// What the attempt cost, in millionths of a US dollar: as the provider says, else by the engine's price table;
    /// `nil` when unknown. Local programs cost 0.
    public var costMicroDollars: Int64?
    /// Of ``inputTokens`` those that the provider read from its cache, and charges less for.
    public var cachedInputTokens: Int64
    /// Of ``inputTokens`` those that the provider wrote to its cache, and may charge more for.
    public var cacheWriteTokens: Int64

    /// Creates a usage record.
    public init(
        inputTokens: Int64 = 0, outputTokens: Int64 = 0, characters: Int64 = 0, bytes: Int64 = 0,
        audioMilliseconds: Int64 = 0, costMicroDollars: Int64? = nil, cachedInputTokens: Int64 = 0,
        cacheWriteTokens: Int64 = 0
    ) {
        self.inputTokens = inputTokens
        self.outputTokens = outputTokens
        self.characters = characters
        self.bytes = bytes
        self.audioMilliseconds = audioMilliseconds
        self.costMicroDollars = costMicroDollars
        self.cachedInputTokens = cachedInputTokens
        self.cacheWriteTokens = cacheWriteTokens
    }

    /// Reads what was written with fewer counts, too: those are zero.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> Int64 { try container.decodeIfPresent(Int64.self, forKey: key) ?? 0 }
        self.init(
            inputTokens: try count(.inputTokens), outputTokens: try count(.outputTokens),
            characters: try count(.characters), bytes: try count(.bytes),
            audioMilliseconds: try count(.audioMilliseconds),
            costMicroDollars: try container.decodeIfPresent(Int64.self, forKey: .costMicroDollars),
            cachedInputTokens: try count(.cachedInputTokens), cacheWriteTokens: try count(.cacheWriteTokens))
    }
}

extension Usage {
    /// Whether it has a number that nothing can have used.
    package var isImpossible: Bool { hasImpossibleCount || costMicroDollars.map { $0 < 0 } ?? false }

    var hasImpossibleCount: Bool {
        [
            inputTokens, outputTokens, characters, bytes, audioMilliseconds, cachedInputTokens, cacheWriteTokens,
        ].contains { $0 < 0 }
    }

    /// The sum over several usages, in any order: exact, and cut off only at the end. Its cost is `nil` where none is
    /// known, and else the sum of those that are.
    package static func sum(of usages: some Sequence<Usage>) -> Usage {
        var tally = LedgerTally()
        for usage in usages { tally.add(usage) }
        return tally.sum.usage
    }
}
