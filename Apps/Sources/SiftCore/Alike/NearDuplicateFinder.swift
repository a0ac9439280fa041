/// Finds photos that look the same, however far apart they were taken.
///
/// Two stages, as the hashes of ImageHash allow: photos are candidates if their 64-bit hashes differ in at most
/// ``coarse`` bits, and alike if their 256-bit hashes differ in at most ``fine`` bits and their aspect ratios are
/// equal. Every pair is found. A group holds all photos that are joined by pairs.
public struct NearDuplicateFinder: Sendable {
    /// The largest distance of two 64-bit hashes, 0 to 7. Default: 5.
    public let coarse: Int
    /// The largest distance of two 256-bit hashes. Default: 20.
    public let fine: Int

    /// Creates a finder.
    ///
    /// - Parameters:
    ///   - coarse: The largest distance of two 64-bit hashes. Limited to 0 to 7, because the index finds no others.
    ///   - fine: The largest distance of two 256-bit hashes.
    public init(coarse: Int = 5, fine: Int = 20) {
        self.coarse = min(max(coarse, 0), 7)
        self.fine = max(fine, 0)
    }

    /// Returns whether two photos have the same aspect ratio, to 2 %. A photo without a size has none.
    static func haveEqualAspect(_ first: AlikePhoto, _ second: AlikePhoto) -> Bool {
        let left = Double(first.width) * Double(second.height)
        let right = Double(second.width) * Double(first.height)
        return left > 0 && right > 0 && abs(left - right) <= 0.02 * max(left, right)
    }

    /// Returns the groups of near-duplicates, in the order of their first photos' ids.
    ///
    /// - Parameters:
    ///   - photos: The photos.
    ///   - excluded: Photos that are never offered, such as those of brackets, panoramas and focus stacks.
    public func groups(among photos: [AlikePhoto], excluding excluded: Set<PhotoID> = []) -> [AlikeGroup] {
        let photos = photos.filter { !excluded.contains($0.id) }.sorted { $0.id < $1.id }
        var sets = DisjointSets(photos.count)
        // Equal pictures, such as black ones, are joined first, so that a thousand of them are not a million pairs.
        var representatives: [Picture: Int] = [:]
        var distinct: [Int] = []
        for (index, photo) in photos.enumerated() {
            if let first = representatives[Picture(photo)], photo.width > 0, photo.height > 0 {
                sets.join(first, index)
            } else {
                representatives[Picture(photo)] = index
                distinct.append(index)
            }
        }
        forEachPair(of: distinct.map { photos[$0].features.hash64.bits }) { first, second in
            let (first, second) = (distinct[first], distinct[second])
            guard !sets.areJoined(first, second), Self.haveEqualAspect(photos[first], photos[second]),
                photos[first].features.hash256.distance(to: photos[second].features.hash256) <= fine
            else { return }
            sets.join(first, second)
        }
        return sets.groups().map { members in
            AlikeGroup(reason: .nearDuplicate, photos: members.map { photos[$0].id }, bySharpness: [])
        }
    }

    /// The values that are equal if two photos are the same picture for this search.
    private struct Picture: Hashable {
        let hash64: PhotoHash64
        let hash256: PhotoHash256
        let width: Int
        let height: Int

        init(_ photo: AlikePhoto) {
            (hash64, hash256) = (photo.features.hash64, photo.features.hash256)
            (width, height) = (photo.width, photo.height)
        }
    }

    /// Calls a closure with the indices of every pair of hashes whose distance is at most ``coarse``. A pair may come
    /// more than once.
    ///
    /// The 64 bits are dealt out to 4 bands of 16 bits. Of two hashes that differ in at most `coarse` ≤ 7 bits, at
    /// least one band differs in at most 1 bit. So each hash is looked up in each band under its own value and under
    /// the 16 values that differ in one bit. Each band has bits from all over the picture: with neighbouring bits, all
    /// pictures with a clear sky would have one value in the first band.
    func forEachPair(of hashes: [UInt64], _ body: (_ first: Int, _ second: Int) -> Void) {
        guard hashes.count > 1 else { return }
        let reach = coarse / 4
        for band in 0..<4 {
            let values = hashes.map { Self.band(band, of: $0) }
            // A counting sort: the hashes with one value of the band lie side by side.
            var starts = [Int32](repeating: 0, count: 65_537)
            for value in values { starts[value + 1] += 1 }
            for value in 0..<65_536 { starts[value + 1] += starts[value] }
            var next = starts
            var order = [Int32](repeating: 0, count: hashes.count)
            var sorted = [UInt64](repeating: 0, count: hashes.count)
            for (index, value) in values.enumerated() {
                order[Int(next[value])] = Int32(index)
                sorted[Int(next[value])] = hashes[index]
                next[value] += 1
            }
            compare(starts, order, sorted, reach: reach, body)
        }
    }

    /// Returns every fourth bit of a hash, beginning with the given one.
    private static func band(_ number: Int, of hash: UInt64) -> Int {
        var bits = hash >> UInt64(number) & 0x1111_1111_1111_1111
        bits = (bits | bits >> 3) & 0x0303_0303_0303_0303
        bits = (bits | bits >> 6) & 0x000F_000F_000F_000F
        bits = (bits | bits >> 12) & 0x0000_00FF_0000_00FF
        return Int((bits | bits >> 24) & 0xFFFF)
    }

    private func compare(
        _ starts: [Int32], _ order: [Int32], _ sorted: [UInt64], reach: Int, _ body: (Int, Int) -> Void
    ) {
        starts.withUnsafeBufferPointer { starts in
            order.withUnsafeBufferPointer { order in
                sorted.withUnsafeBufferPointer { sorted in
                    for value in 0..<65_536 where starts[value] < starts[value + 1] {
                        let own = Int(starts[value])..<Int(starts[value + 1])
                        for first in own {
                            for second in (first + 1)..<max(first + 1, own.upperBound)
                            where (sorted[first] ^ sorted[second]).nonzeroBitCount <= coarse {
                                body(Int(order[first]), Int(order[second]))
                            }
                        }
                        guard reach > 0 else { continue }
                        for bit in 0..<16 where value & (1 << bit) == 0 {
                            let other = value | 1 << bit
                            for first in own {
                                for second in Int(starts[other])..<Int(starts[other + 1])
                                where (sorted[first] ^ sorted[second]).nonzeroBitCount <= coarse {
                                    body(Int(order[first]), Int(order[second]))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Sets of numbers that are joined step by step (union by size, path halving).
struct DisjointSets {
    private var parents: [Int32]
    private var sizes: [Int32]

    /// Creates sets of one number each.
    init(_ count: Int) {
        parents = (0..<count).map { Int32($0) }
        sizes = [Int32](repeating: 1, count: count)
    }

    private mutating func root(_ number: Int) -> Int {
        var number = number
        while Int(parents[number]) != number {
            parents[number] = parents[Int(parents[number])]
            number = Int(parents[number])
        }
        return number
    }

    /// Returns whether two numbers are in one set.
    mutating func areJoined(_ first: Int, _ second: Int) -> Bool { root(first) == root(second) }

    /// Joins the sets of two numbers.
    mutating func join(_ first: Int, _ second: Int) {
        var (large, small) = (root(first), root(second))
        guard large != small else { return }
        if sizes[large] < sizes[small] { swap(&large, &small) }
        parents[small] = Int32(large)
        sizes[large] += sizes[small]
    }

    /// Returns the sets of two or more numbers, each sorted, in the order of their first numbers.
    mutating func groups() -> [[Int]] {
        var members: [Int: [Int]] = [:]
        for number in parents.indices {
            let root = root(number)
            if sizes[root] > 1 { members[root, default: []].append(number) }
        }
        return members.values.sorted { $0[0] < $1[0] }
    }
}
