import Foundation

/// Concurrent work on many values, in chunks of limited size and with a limited number of chunks at a time.
///
/// If all work started at once, or if each thread had a chunk, other tasks would have to wait for a thread of Swift's
/// pool.
enum Chunks {
    /// The maximum number of values in a chunk.
    static let maximumCount = 256
    /// The maximum size in bytes of a chunk that has more than one value. Text of this size takes less than a
    /// millisecond, and JSON about five milliseconds. A single value takes longer if it is larger, or if it is written
    /// to a file.
    static let maximumBytes = 256 << 10
    /// The number of concurrent chunks on an executor that the caller passes. The number does not depend on the
    /// processors, so that a simulation has the same history on all machines.
    static let givenWidth = 8
    /// The number of concurrent chunks if the caller passes no executor. The number is cached, because the system reads
    /// a file each time to find the number of processors.
    private static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Transforms many values by their indices. Returns the results in the order of the values.
    ///
    /// - Parameters:
    ///   - sizes: The approximate size of each value, in bytes.
    ///   - executor: The executor that runs the work. Default: the executor of the calling task, off any actor.
    @concurrent static func map<Value: Sendable>(
        _ sizes: [Int], on executor: (any TaskExecutor)? = nil, _ transform: @escaping @Sendable (Int) -> Value
    ) async -> [Value] {
        if executor == nil, sizes.count < 2 { return sizes.indices.map(transform) }
        let width = executor == nil ? processors : givenWidth
        let chunks = chunks(of: sizes, width: width)
        return await withTaskGroup(of: (Int, [Value]).self) { group in
            var remainder = chunks.indices.makeIterator()
            func beginNext() {
                guard let number = remainder.next() else { return }
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

    /// Groups adjacent values into chunks. If there are enough values, there are at least `width` chunks.
    ///
    /// If there are only a few values, each may be expensive, so they run concurrently. If there are many values, each
    /// is usually cheaper than a task, so they share chunks.
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

    /// Returns the end of the chunk that begins at `start`. The chunk has at least one value. It has at most
    /// `maximumCount` values and at most `maximumBytes` bytes.
    static func end(of sizes: [Int], from start: Int, maximumCount: Int = .max, maximumBytes: Int) -> Int {
        var (end, bytes) = (start + 1, sizes[start])
        while end < sizes.count, end - start < maximumCount, sizes[end] <= maximumBytes - bytes {
            bytes += sizes[end]
            end += 1
        }
        return end
    }
}
