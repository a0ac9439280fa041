/// One search for near-duplicates among photos.
///
/// **Equal photos.** Photos with equal hashes and sizes are joined first, and one of them stands for all.
///
/// **Index.** Of two hashes that differ in at most *d* bits, at least one of *d* + 1 bands of bits is equal. So only
/// photos with an equal band are compared: one of 6 bands of the 64-bit hash, or one of 21 bands of the 256-bit hash,
/// whichever index has fewer pairs. Photos with a very common value of a band are divided further by the other index.
/// Where an index has more pairs than there are, because most bands of most photos are equal, it is not used.
///
/// **Comparing.** The groups are wanted, not the pairs. So photos that are in one group already are not compared with
/// each other.
///
/// **Bound.** Tens of thousands of photos can have most bands in common, and still not be alike. Every pair would have
/// to be compared then. So a search has an ``allowance`` of comparisons. It first compares photos that are neighbours in
/// a large class, and then all pairs of each class, the smallest classes first. If the allowance ends before the
/// classes do, pairs of the largest classes may be missed. No search joins photos that are not joined by pairs.
struct NearDuplicateSearch {
    /// Photos with an equal band are divided by the other index if they are more than this.
    private static let common = 512
    /// The index of 64-bit hashes alone is used up to this number of pairs for each photo. Typical are 120.
    private static let fewPairs = 500
    /// The number of neighbours in a large class with which each photo is compared first.
    private static let neighbours = 8

    /// Returns the usual number of comparisons, after which a search ends. All pairs of 5,000 photos are fewer.
    static func usualAllowance(for count: Int) -> Int { max(12_500_000, 400 * count) }

    private let fine: Int
    private let coarse: Int
    private let hashes: [UInt64]
    private let wideHashes: [PhotoHash256]
    private let sizes: [(width: Int, height: Int)]
    private var sets: DisjointSets
    /// For the photos that are being compared, by the roots of their sets: how many there are, and then their place.
    private var places: [Int32]

    /// Photos of one set among those that are being compared.
    private struct Part {
        var start: Int32
        var count: Int32
        /// The hash of the first photo. Most sets have no other.
        var hash: UInt64 = 0
    }

    /// The number of comparisons that are left.
    private(set) var allowance: Int

    /// Prepares a search among photos.
    ///
    /// - Parameter allowance: The number of comparisons after which the search ends. Default: the usual one.
    init(_ photos: [AlikePhoto], coarse: Int, fine: Int, allowance: Int? = nil) {
        (self.coarse, self.fine) = (coarse, fine)
        hashes = photos.map(\.features.hash64.bits)
        wideHashes = photos.map(\.features.hash256)
        sizes = photos.map { ($0.width, $0.height) }
        sets = DisjointSets(photos.count)
        places = [Int32](repeating: 0, count: photos.count)
        self.allowance = allowance ?? Self.usualAllowance(for: photos.count)
    }

    /// Returns the groups as indices of photos, each sorted, in the order of their first photos.
    mutating func groups() -> [[Int]] {
        let all = joinEqual()
        let narrow = HashBands(hashes, wordsOfHash: 1, distance: coarse)
        let narrowPairs = narrow.pairs(of: all[...])
        // The wide index costs more than all comparisons of typical photos.
        if narrowPairs <= Self.fewPairs * all.count, narrowPairs <= allowance {
            narrow.forEachValue(of: all[...]) { join($0) }
        } else {
            joinCrowded(all, narrow, narrowPairs)
        }
        return sets.groups()
    }

    /// Joins photos that look equal. Returns the photos that are left to compare: one of each look. A photo without a
    /// size is alike none.
    private mutating func joinEqual() -> [Int32] {
        var firsts: [Look: Int] = [:]
        firsts.reserveCapacity(hashes.count)
        var rest: [Int32] = []
        for (photo, size) in sizes.enumerated() where size.width > 0 && size.height > 0 {
            let look = Look(hash: hashes[photo], wide: wideHashes[photo], width: size.width, height: size.height)
            if let first = firsts[look] {
                sets.join(first, photo)
            } else {
                firsts[look] = photo
                rest.append(Int32(photo))
            }
        }
        return rest
    }

    private struct Look: Hashable {
        let hash: UInt64
        let wide: PhotoHash256
        let width: Int
        let height: Int
    }

    /// Joins photos of which many have equal bands.
    private mutating func joinCrowded(_ all: [Int32], _ narrow: HashBands, _ narrowPairs: Int) {
        var (first, second) = (narrow, HashBands?.none)
        var pairs = narrowPairs
        if fine < 64 {
            let words = wideHashes.flatMap { [$0.words.0, $0.words.1, $0.words.2, $0.words.3] }
            let wide = HashBands(words, wordsOfHash: 4, distance: fine)
            let widePairs = wide.pairs(of: all[...])
            (first, second) = widePairs < narrowPairs ? (wide, narrow) : (narrow, wide)
            pairs = min(narrowPairs, widePairs)
        }
        var classes = pairs < Self.allPairs(of: all.count) ? first.classes(of: all[...]) : [all[...]]
        classes.sort { $0.count < $1.count }
        for photos in classes where photos.count > Self.common { joinNeighbours(photos) }
        var last: ArraySlice<Int32> = []
        for photos in classes where allowance > 0 {
            // Photos whose hashes are equal are one class in every band.
            if photos == last { continue }
            last = photos
            guard photos.count > Self.common, let second, !areJoined(photos),
                second.pairs(of: photos) < Self.allPairs(of: photos.count)
            else {
                join(photos)
                continue
            }
            second.forEachValue(of: photos) { join($0) }
        }
    }

    /// Compares each photo with those that follow it. Most large groups are joined then.
    private mutating func joinNeighbours(_ photos: ArraySlice<Int32>) {
        for place in photos.indices where allowance > 0 {
            let photo = photos[place]
            for other in photos[(place + 1)...].prefix(Self.neighbours) {
                allowance -= 1
                let distance = (hashes[Int(photo)] ^ hashes[Int(other)]).nonzeroBitCount
                if distance <= coarse, areAlike(photo, other) { sets.join(Int(photo), Int(other)) }
            }
        }
    }

    private static func allPairs(of count: Int) -> Int { count * (count - 1) / 2 }

    private mutating func areJoined(_ photos: ArraySlice<Int32>) -> Bool {
        guard let first = photos.first else { return true }
        let root = sets.root(first)
        return photos.allSatisfy { sets.root($0) == root }
    }

    /// Joins all sets of photos that have an alike pair among these photos.
    private mutating func join(_ photos: ArraySlice<Int32>) {
        guard allowance > 0, !areJoined(photos) else { return }
        var (open, members) = parts(of: photos)
        var joined: [Part] = []
        while let seed = open.popLast(), !open.isEmpty, allowance > 0 {
            joined.append(seed)
            while let part = joined.popLast(), !open.isEmpty {
                for place in part.start..<(part.start + part.count) where allowance > 0 {
                    let photo = members[Int(place)]
                    take(from: &open, alike: photo, &members, into: &joined)
                }
            }
            joined.removeAll(keepingCapacity: true)
        }
    }

    /// Moves the parts that have a photo alike a given one, and joins their sets.
    private mutating func take(
        from open: inout [Part], alike photo: Int32, _ members: inout [Int32], into joined: inout [Part]
    ) {
        let hash = hashes[Int(photo)]
        let coarse = coarse
        var count = open.count
        var compared = 0
        open.withUnsafeMutableBufferPointer { open in
            var index = 0
            while index < count {
                let part = open[index]
                compared += Int(part.count)
                let isAlike =
                    part.count == 1
                    ? (part.hash ^ hash).nonzeroBitCount <= coarse && areAlike(photo, members[Int(part.start)])
                    : (part.start..<(part.start + part.count)).contains { place in
                        let other = members[Int(place)]
                        return (hashes[Int(other)] ^ hash).nonzeroBitCount <= coarse && areAlike(photo, other)
                    }
                guard isAlike else {
                    index += 1
                    continue
                }
                sets.join(Int(photo), Int(members[Int(part.start)]))
                joined.append(part)
                count -= 1
                open[index] = open[count]
            }
        }
        open.removeLast(open.count - count)
        allowance -= compared
    }

    /// Returns photos by their sets, with the photos of each set side by side.
    private mutating func parts(of photos: ArraySlice<Int32>) -> (parts: [Part], members: [Int32]) {
        var roots: [Int32] = []
        for photo in photos {
            let root = sets.root(photo)
            if places[Int(root)] == 0 { roots.append(root) }
            places[Int(root)] += 1
        }
        var start: Int32 = 0
        var parts: [Part] = []
        parts.reserveCapacity(roots.count)
        for root in roots {
            let count = places[Int(root)]
            parts.append(Part(start: start, count: count))
            places[Int(root)] = start
            start += count
        }
        var members = Array(photos)
        for photo in photos {
            let root = Int(sets.root(photo))
            members[Int(places[root])] = photo
            places[root] += 1
        }
        for root in roots { places[Int(root)] = 0 }
        for index in parts.indices { parts[index].hash = hashes[Int(members[Int(parts[index].start)])] }
        return (parts, members)
    }

    /// Returns whether two photos are alike, if their 64-bit hashes are.
    private func areAlike(_ first: Int32, _ second: Int32) -> Bool {
        let (first, second) = (Int(first), Int(second))
        guard wideHashes[first].distance(to: wideHashes[second]) <= fine else { return false }
        return NearDuplicateFinder.haveEqualAspect(sizes[first], sizes[second])
    }
}

/// Hashes by bands of their bits. Two hashes that differ in at most a given number of bits have an equal band.
struct HashBands {
    /// The most bits of a band that are looked at.
    private static let mostBits = 16

    private let count: Int
    private let bitsOfBand: Int
    /// The values of all hashes in the first band, then those in the second, and so on.
    private let values: [UInt16]
    private let hashes: Int

    /// Cuts hashes into bands.
    ///
    /// A band has bits from all over the picture: with neighbouring bits, all pictures with a clear sky would have one
    /// value in the first band.
    ///
    /// - Parameters:
    ///   - words: The words of the hashes, one hash after the other.
    ///   - wordsOfHash: The number of words of a hash.
    ///   - distance: The largest number of different bits, less than the number of bits.
    init(_ words: [UInt64], wordsOfHash: Int, distance: Int) {
        let count = distance + 1
        let hashes = words.count / wordsOfHash
        let bits = 64 * wordsOfHash
        var values = [UInt16](repeating: 0, count: count * hashes)
        words.withUnsafeBufferPointer { words in
            values.withUnsafeMutableBufferPointer { values in
                for bit in 0..<min(bits, count * Self.mostBits) {
                    let (band, place) = (bit % count * hashes, UInt16(bit / count))
                    let (word, shift) = (bit / 64, UInt64(bit % 64))
                    for hash in 0..<hashes {
                        values[band + hash] |= UInt16(words[hash * wordsOfHash + word] >> shift & 1) << place
                    }
                }
            }
        }
        (self.count, self.values, self.hashes) = (count, values, hashes)
        bitsOfBand = min(Self.mostBits, (bits + count - 1) / count)
    }

    /// Returns the number of pairs with an equal band. A pair counts once for each equal band.
    func pairs(of members: ArraySlice<Int32>) -> Int {
        (0..<count).reduce(0) { sum, band in
            let starts = starts(of: members, band)
            return zip(starts, starts.dropFirst()).reduce(sum) { sum, ends in
                let size = Int(ends.1 - ends.0)
                return sum + size * (size - 1) / 2
            }
        }
    }

    /// Calls a closure with the hashes that have an equal band, two or more each time.
    func forEachValue(of members: ArraySlice<Int32>, _ body: (ArraySlice<Int32>) -> Void) {
        for band in 0..<count {
            // A counting sort: the hashes with one value of the band lie side by side.
            let starts = starts(of: members, band)
            var next = starts
            var sorted = Array(members)
            for member in members {
                let value = Int(values[band * hashes + Int(member)])
                sorted[Int(next[value])] = member
                next[value] += 1
            }
            for (start, end) in zip(starts, starts.dropFirst()) where end - start > 1 {
                body(sorted[Int(start)..<Int(end)])
            }
        }
    }

    /// Returns the hashes that have an equal band, two or more each time.
    func classes(of members: ArraySlice<Int32>) -> [ArraySlice<Int32>] {
        var classes: [ArraySlice<Int32>] = []
        forEachValue(of: members) { classes.append($0) }
        return classes
    }

    /// Returns where the members with each value of a band begin, if they are sorted by it, and the end.
    private func starts(of members: ArraySlice<Int32>, _ band: Int) -> [Int32] {
        var starts = [Int32](repeating: 0, count: 1 << bitsOfBand + 1)
        for member in members { starts[Int(values[band * hashes + Int(member)]) + 1] += 1 }
        for value in 1..<starts.count { starts[value] += starts[value - 1] }
        return starts
    }
}
