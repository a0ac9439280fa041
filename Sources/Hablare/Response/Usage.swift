/// The usage of one attempt, in the units that its provider counts. A unit that the provider does not count is zero.
///
/// No number may be negative. If a provider reports a negative number, the engine keeps the answer and logs an error
/// that names the provider. A negative number has these effects:
///
/// - If a count is negative, the engine replaces all counts by zero. If the reported cost is not negative, the engine
///   keeps the cost. Otherwise the cost is unknown, and the amount that the attempt reserved in a budget counts as
///   spent.
/// - If only the cost is negative, the engine computes the cost from the counts and the price table.
public struct Usage: Sendable, Hashable, Codable {
    /// The number of tokens read by a model, including tokens that were read from or written to the provider's cache.
    public var inputTokens: Int64
    /// The number of tokens written by a model.
    public var outputTokens: Int64
    /// The number of characters (Unicode scalars) of input text.
    public var characters: Int64
    /// The number of bytes of content produced.
    public var bytes: Int64
    /// The duration of audio input or output in milliseconds.
    public var audioMilliseconds: Int64
    /// The cost of the attempt in millionths of a US dollar, as the provider reports it. If the provider reports no
    /// cost, the engine computes the cost with ``EngineConfiguration/prices``. The value is `nil` if the cost is
    /// unknown. Local programs cost 0.
    public var costMicroDollars: Int64?
    /// The number of ``inputTokens`` that the provider read from its cache, at a lower price.
    public var cachedInputTokens: Int64
    /// The number of ``inputTokens`` that the provider wrote to its cache, possibly at a higher price.
    public var cacheWriteTokens: Int64
    /// The number of ``inputTokens`` that stand for pictures, possibly at a price of their own.
    public var imageInputTokens: Int64
    /// The number of ``inputTokens`` that stand for sound, possibly at a price of their own.
    public var audioInputTokens: Int64
    /// The number of ``outputTokens`` that stand for sound, possibly at a price of their own.
    public var audioOutputTokens: Int64

    /// Creates a usage record.
    public init(
        inputTokens: Int64 = 0, outputTokens: Int64 = 0, characters: Int64 = 0, bytes: Int64 = 0,
        audioMilliseconds: Int64 = 0, costMicroDollars: Int64? = nil, cachedInputTokens: Int64 = 0,
        cacheWriteTokens: Int64 = 0, imageInputTokens: Int64 = 0, audioInputTokens: Int64 = 0,
        audioOutputTokens: Int64 = 0
    ) {
        self.inputTokens = inputTokens
        self.outputTokens = outputTokens
        self.characters = characters
        self.bytes = bytes
        self.audioMilliseconds = audioMilliseconds
        self.costMicroDollars = costMicroDollars
        self.cachedInputTokens = cachedInputTokens
        self.cacheWriteTokens = cacheWriteTokens
        self.imageInputTokens = imageInputTokens
        self.audioInputTokens = audioInputTokens
        self.audioOutputTokens = audioOutputTokens
    }

    /// Decodes a usage. Missing counts are zero. This is needed for older records, which do not have all counts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> Int64 { try container.decodeIfPresent(Int64.self, forKey: key) ?? 0 }
        self.init(
            inputTokens: try count(.inputTokens), outputTokens: try count(.outputTokens),
            characters: try count(.characters), bytes: try count(.bytes),
            audioMilliseconds: try count(.audioMilliseconds),
            costMicroDollars: try container.decodeIfPresent(Int64.self, forKey: .costMicroDollars),
            cachedInputTokens: try count(.cachedInputTokens), cacheWriteTokens: try count(.cacheWriteTokens),
            imageInputTokens: try count(.imageInputTokens), audioInputTokens: try count(.audioInputTokens),
            audioOutputTokens: try count(.audioOutputTokens))
    }
}

extension Usage {
    /// Whether a number is negative. The usage of an attempt cannot be negative.
    package var isImpossible: Bool { hasImpossibleCount || costMicroDollars.map { $0 < 0 } ?? false }

    var hasImpossibleCount: Bool {
        [
            inputTokens, outputTokens, characters, bytes, audioMilliseconds, cachedInputTokens, cacheWriteTokens,
            imageInputTokens, audioInputTokens, audioOutputTokens,
        ].contains { $0 < 0 }
    }

    /// Returns the sum of several usages. Their order does not matter. The sum is exact and is clamped only at the end.
    /// The cost of the result is the sum of the known costs. The cost is `nil` if no cost is known.
    package static func sum(of usages: some Sequence<Usage>) -> Usage {
        var tally = LedgerTally()
        for usage in usages { tally.add(usage) }
        return tally.sum.usage
    }
}
