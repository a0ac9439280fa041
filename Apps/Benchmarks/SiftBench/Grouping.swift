import SiftCore

/// The search for near-duplicates among 50,000 photos of several kinds.
enum Grouping {
    private static let count = 50_000

    static func measure() {
        var numbers = Numbers(state: 7)
        let bases = (0..<20_000).map { _ in (numbers.next(), wide(&numbers)) }
        let libraries: [(name: String, aim: String, photos: [AlikePhoto])] = [
            ("random", "< 0.2", photos { _ in (numbers.next(), wide(&numbers)) }),
            (
                "library", "< 0.2",
                photos { number in
                    let (hash, wideHash) = bases[number % bases.count]
                    return (flipped(hash, 4, &numbers), flipped(wideHash, 10, &numbers))
                }
            ),
            ("black", "< 0.2", photos { _ in (0, PhotoHash256(words: (0, 0, 0, 0))) }),
            ("one-hash64", "< 0.2", photos { _ in (0, wide(&numbers)) }),
            ("one-kind", "< 0.2", photos { _ in (flipped(0, 9, &numbers), flipped(bases[0].1, 12, &numbers)) }),
            ("worst", "< 0.2", photos { _ in (0, flipped(bases[0].1, 40, &numbers)) }),
        ]
        let clock = ContinuousClock()
        for (name, aim, photos) in libraries {
            let times = (0..<3).map { _ in
                let start = clock.now
                _ = NearDuplicateFinder().groups(among: photos)
                return (clock.now - start).seconds
            }
            report("sift.group.\(name)", percentile(times, 0.5), "s", aim: aim)
        }
    }

    private static func photos(_ hashes: (Int) -> (UInt64, PhotoHash256)) -> [AlikePhoto] {
        (0..<count).map { number in
            let (hash, wide) = hashes(number)
            return AlikePhoto(
                id: PhotoID(rawValue: Int64(number)), width: 4000, height: 3000,
                features: PhotoFeatures(hash64: PhotoHash64(bits: hash), hash256: wide, sharpness: 1))
        }
    }

    private static func wide(_ numbers: inout Numbers) -> PhotoHash256 {
        PhotoHash256(words: (numbers.next(), numbers.next(), numbers.next(), numbers.next()))
    }

    /// Returns a hash with up to so many bits flipped.
    private static func flipped(_ hash: UInt64, _ most: Int, _ numbers: inout Numbers) -> UInt64 {
        (0..<Int.random(in: 0...most, using: &numbers)).reduce(hash) { hash, _ in
            hash ^ 1 << UInt64.random(in: 0..<64, using: &numbers)
        }
    }

    /// Returns a hash with so many bits flipped, some perhaps twice.
    private static func flipped(_ hash: PhotoHash256, _ count: Int, _ numbers: inout Numbers) -> PhotoHash256 {
        var words = hash.words
        for _ in 0..<count {
            let bit: UInt64 = 1 << UInt64.random(in: 0..<64, using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: words.0 ^= bit
            case 1: words.1 ^= bit
            case 2: words.2 ^= bit
            default: words.3 ^= bit
            }
        }
        return PhotoHash256(words: words)
    }
}

/// SplitMix64, so that each run measures the same hashes.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
