/// Work on many, in stretches side by side: a few at once, and none of them long.
///
/// All of them at once, or one long stretch on each thread, would stand before whatever else waits for a thread of Swift's
/// pool. Where the main queue has no thread of its own, as on Linux, that is the main actor, too.
enum Stretches {
    /// How many are under way at once. Not as many as there are processors: a simulated history would be another one on
    /// another machine.
    static let width = 8
    /// What of one stretch is together at least this large, in bytes, ends it: a millisecond's work, or a few.
    static let bytes = 256 << 10

    /// Does something with each of many, by their numbers, and gives what came of them in their order.
    ///
    /// - Parameters:
    ///   - sizes: How many bytes each of them has, about.
    ///   - executor: Where it is done. Default: Swift's pool.
    static func map<Value: Sendable>(
        _ sizes: [Int], on executor: (any TaskExecutor)? = nil, _ transform: @escaping @Sendable (Int) -> Value
    ) async -> [Value] {
        let stretches = stretches(of: sizes)
        guard stretches.count > 1 else { return sizes.indices.map(transform) }
        return await withTaskGroup(of: (Int, [Value]).self) { group in
            var rest = stretches.indices.makeIterator()
            func beginNext() {
                guard let number = rest.next() else { return }
                group.addTask(executorPreference: executor) { (number, stretches[number].map(transform)) }
            }
            for _ in 0..<width { beginNext() }
            var values = [[Value]](repeating: [], count: stretches.count)
            for await (number, part) in group {
                values[number] = part
                beginNext()
            }
            return values.flatMap(\.self)
        }
    }

    /// Those that follow each other are in a stretch together, as most are small, and a task for each would cost more than
    /// what is done.
    static func stretches(of sizes: [Int]) -> [Range<Int>] {
        let most = (sizes.count + width - 1) / width
        var stretches: [Range<Int>] = []
        var (start, size) = (0, 0)
        for (number, next) in sizes.enumerated() {
            size += next
            guard size >= bytes || number + 1 - start == most else { continue }
            stretches.append(start..<number + 1)
            (start, size) = (number + 1, 0)
        }
        if start < sizes.count { stretches.append(start..<sizes.count) }
        return stretches
    }
}
