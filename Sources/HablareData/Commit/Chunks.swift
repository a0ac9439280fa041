import Foundation

/// Work on many, in chunks that are done concurrently: a few at once, and none of them larger than it must be.
///
/// All at once, or one chunk for each thread, would stand in line before whatever else waits for a thread of Swift's pool.
enum Chunks {
    /// The most of one chunk.
    static let maximumCount = 256
    /// The most bytes of a chunk that has more than one: below a millisecond's work where they are text, some five where
    /// they are JSON. What is larger, or is written to a file, takes as long as it takes.
    static let maximumBytes = 256 << 10
    /// How many are under way at once on an executor that is given: not as many as there are processors, because a history
    /// that is simulated there would be another one on another machine.
    static let givenWidth = 8
    /// Otherwise. Asked for once: the system reads a file to say it.
    private static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Does something with each of many, by their numbers, and gives what came of them in their order.
    ///
    /// - Parameters:
    ///   - sizes: How many bytes each of them has, about.
    ///   - executor: Where it is done. Default: where the calling task would do it, off any actor.
    @concurrent static func map<Value: Sendable>(
        _ sizes: [Int], on executor: (any TaskExecutor)? = nil, _ transform: @escaping @Sendable (Int) -> Value
    ) async -> [Value] {
        if executor == nil, sizes.count < 2 { return sizes.indices.map(transform) }
        let width = executor == nil ? processors : givenWidth
        let chunks = chunks(of: sizes, width: width)
        return await withTaskGroup(of: (Int, [Value]).self) { group in
            var rest = chunks.indices.makeIterator()
            func beginNext() {
                guard let number = rest.next() else { return }
                group.addTask(executorPreference: executor) { (number, chunks[number].map(transform)) }
            }
            for _ in 0..<width { beginNext() }
            var values = [[Value]](repeating: [], count: chunks.count)
            for await (number, part) in group {
                values[number] = part
                beginNext()
            }
            return values.flatMap(\.self)
        }
    }

    /// Those that follow each other are in a chunk together, and in no fewer chunks than can be under way at once: a few may
    /// be expensive, and of many most are cheaper than a task is.
    static func chunks(of sizes: [Int], width: Int) -> [Range<Int>] {
        var chunks: [Range<Int>] = []
        var start = 0
        while start < sizes.count {
            let left = max(1, width - chunks.count)
            let most = min((sizes.count - start + left - 1) / left, maximumCount)
            let end = end(of: sizes, from: start, maximumCount: most, maximumBytes: maximumBytes)
            chunks.append(start..<end)
            start = end
        }
        return chunks
    }

    /// Where those end that are together, from one of them on, within a count and so many bytes. One is in in any case.
    static func end(of sizes: [Int], from start: Int, maximumCount: Int = .max, maximumBytes: Int) -> Int {
        var (end, bytes) = (start + 1, sizes[start])
        while end < sizes.count, end - start < maximumCount, sizes[end] <= maximumBytes - bytes {
            bytes += sizes[end]
            end += 1
        }
        return end
    }
}
