import HablareTestKit
import Testing

@testable import SiftCore

private func photo(
    _ id: Int64, at time: Double? = nil, hash: UInt64 = 0, wide: UInt64 = 0, sharpness: Double = 1,
    width: Int = 400, height: Int = 300, camera: String? = "C", _ exposure: PhotoExposure = PhotoExposure()
) -> AlikePhoto {
    AlikePhoto(
        id: PhotoID(rawValue: id), captured: time, camera: camera, width: width, height: height,
        features: PhotoFeatures(
            hash64: PhotoHash64(bits: hash), hash256: PhotoHash256(words: (wide, 0, 0, 0)), sharpness: sharpness),
        exposure: exposure)
}

private func ids(_ groups: [AlikeGroup]) -> [[Int64]] { groups.map { $0.photos.map(\.rawValue) } }

@Suite struct BurstTests {
    @Test func chainsNeighboursHoweverLongTheBurstIs() {
        let photos = (0..<100).map { photo(Int64($0), at: Double($0) * 0.9) } + [photo(200, at: 91)]
        let bursts = BurstFinder().bursts(among: photos.shuffled())
        #expect(bursts.map(\.photos.count) == [100])
    }

    @Test func ranksABurstBySharpness() {
        let bursts = BurstFinder().bursts(among: [
            photo(1, at: 0, sharpness: 5), photo(2, at: 0.5, sharpness: 9), photo(3, at: 1, sharpness: 7),
        ])
        #expect(bursts.first?.bySharpness.map(\.rawValue) == [2, 3, 1])
    }

    @Test func doesNotJoinScenesCamerasOrPhotosWithoutATime() {
        #expect(BurstFinder().bursts(among: [photo(1, at: 0), photo(2, at: 1.1)]).isEmpty)
        #expect(BurstFinder().bursts(among: [photo(1, at: 0), photo(2, at: 0.1, camera: "D")]).isEmpty)
        #expect(BurstFinder().bursts(among: [photo(1, at: 0), photo(2, at: 0.1, hash: .max)]).isEmpty)
        #expect(BurstFinder().bursts(among: [photo(1), photo(2), photo(3, at: .nan), photo(4, at: .infinity)]).isEmpty)
        #expect(BurstFinder().bursts(among: [photo(1, at: 0), photo(2, at: 0.1, width: 300, height: 400)]).isEmpty)
    }

    @Test(arguments: [
        [PhotoExposure(bias: -1), PhotoExposure(bias: 0), PhotoExposure(bias: 1)],
        [PhotoExposure(mode: 2), PhotoExposure(mode: 2), PhotoExposure(mode: 2)],
        [
            PhotoExposure(seconds: 0.01, mode: 1), PhotoExposure(seconds: 0.02, mode: 1),
            PhotoExposure(seconds: 0.04, mode: 1),
        ],
        [PhotoExposure(subjectDistance: 1), PhotoExposure(subjectDistance: 2), PhotoExposure(subjectDistance: 3)],
    ]) func neverOffersASeriesThatBelongsTogether(_ exposures: [PhotoExposure]) {
        let photos = exposures.enumerated().map { photo(Int64($0), at: Double($0) * 0.3, $1) }
        #expect(AlikeFinder().suggestions(among: photos).isEmpty)
    }

    @Test func neverOffersAPanorama() {
        let manual = PhotoExposure(seconds: 0.01, aperture: 8, mode: 1)
        let photos = (0..<4).map { index in
            photo(Int64(index), at: Double(index) * 0.5, hash: UInt64(0xFFF) << UInt64(index * 12), manual)
        }
        #expect(AlikeFinder().suggestions(among: photos).isEmpty)
    }
}

@Suite struct NearDuplicateTests {
    @Test func asksBothStagesAndTheAspect() {
        let finder = NearDuplicateFinder()
        #expect(ids(finder.groups(among: [photo(1), photo(2, hash: 0b11111)])) == [[1, 2]])
        #expect(finder.groups(among: [photo(1), photo(2, hash: 0b111111)]).isEmpty)
        #expect(ids(finder.groups(among: [photo(1), photo(2, wide: (1 << 20) - 1)])) == [[1, 2]])
        #expect(finder.groups(among: [photo(1), photo(2, wide: (1 << 21) - 1)]).isEmpty)
        #expect(finder.groups(among: [photo(1), photo(2, width: 300, height: 400)]).isEmpty)
        #expect(finder.groups(among: [photo(1, width: 0), photo(2, width: 0)]).isEmpty)
        #expect(ids(finder.groups(among: [photo(1), photo(2, width: 4000, height: 3000)])) == [[1, 2]])
    }

    @Test func joinsPairsAndLeavesOutTheExcluded() {
        let chain = [photo(3), photo(1, hash: 0b111), photo(2, hash: 0b111_111)]
        #expect(ids(NearDuplicateFinder(coarse: 3).groups(among: chain)) == [[1, 2, 3]])
        let excluded: Set = [PhotoID(rawValue: 1)]
        #expect(NearDuplicateFinder(coarse: 3).groups(among: chain, excluding: excluded).isEmpty)
        #expect(NearDuplicateFinder().groups(among: []).isEmpty)
    }

    /// Pictures around a few bases: some alike, some just not, with one or many bits in common.
    private static func pictures(_ seed: UInt64) -> [AlikePhoto] {
        var numbers = SeededNumbers(state: seed)
        func flipped(_ hash: UInt64, _ most: Int) -> UInt64 {
            (0..<Int.random(in: 0...most, using: &numbers)).reduce(hash) { hash, _ in
                hash ^ 1 << UInt64.random(in: 0..<64, using: &numbers)
            }
        }
        // Even seeds have common values of bands, so that both indices are used.
        let count = seed.isMultiple(of: 2) ? 700 : 300
        let bases = (0..<Int.random(in: 1...40, using: &numbers)).map { _ in (numbers.next(), numbers.next()) }
        let spread = Int.random(in: 1...9, using: &numbers)
        let wideSpread = Int.random(in: 1...40, using: &numbers)
        return (0..<count).map { number in
            let (hash, wide) = bases[Int.random(in: bases.indices, using: &numbers)]
            return photo(
                Int64(number), hash: flipped(hash, spread), wide: flipped(wide, wideSpread),
                width: numbers.next().isMultiple(of: 8) ? 300 : 400)
        }
    }

    @Test(arguments: 0...7, 1...6 as ClosedRange<UInt64>) func joinsEveryPair(_ coarse: Int, _ seed: UInt64) {
        let photos = Self.pictures(seed)
        let finder = NearDuplicateFinder(coarse: coarse, fine: [0, 3, 20, 63, 64, 300][Int(seed) % 6])
        var sets = DisjointSets(photos.count)
        for (first, photo) in photos.enumerated() {
            for (second, other) in photos.enumerated().dropFirst(first + 1)
            where photo.features.hash64.distance(to: other.features.hash64) <= coarse
                && photo.features.hash256.distance(to: other.features.hash256) <= finder.fine
                && NearDuplicateFinder.haveEqualAspect(photo, other)
            {
                sets.join(first, second)
            }
        }
        let expected = sets.groups().map { $0.map { Int64($0) } }
        #expect(ids(finder.groups(among: photos)) == expected)
    }

    @Test func joinsPicturesOfOneKindWhenEitherIndexIsOfNoUse() {
        var numbers = SeededNumbers(state: 1)
        // All have one 64-bit hash, and the other way round.
        let narrow = (0..<3000 as Range<Int64>).map { number in
            var one = photo(number, wide: UInt64(number % 5))
            if number >= 1500 {
                one.features.hash256.words = (numbers.next(), numbers.next(), numbers.next(), numbers.next())
            }
            return one
        }
        #expect(NearDuplicateFinder().groups(among: narrow).first?.photos.count == 1500)
        let wide = (0..<3000).map { photo($0, hash: $0 < 1500 ? UInt64($0 % 5) : numbers.next()) }
        #expect(NearDuplicateFinder().groups(among: wide).first?.photos.count == 1500)
    }

    @Test func joinsEqualPicturesWithoutComparingThem() {
        let photos = (0..<20_000).map { (number: Int) -> AlikePhoto in
            let hash: UInt64 = number.isMultiple(of: 2) ? 0 : .max
            return photo(Int64(number), hash: hash, width: number % 4 < 2 ? 400 : 300)
        }
        var search = NearDuplicateSearch(photos, coarse: 5, fine: 20, allowance: 100)
        let groups = search.groups()
        #expect(groups.map { $0.count } == [5000, 5000, 5000, 5000])
        #expect(search.allowance > 0, "Only four pictures were compared.")
        let sizeless = (0..<3 as Range<Int64>).map { photo($0, width: 0) }
        var empty = NearDuplicateSearch(sizeless, coarse: 5, fine: 20)
        #expect(empty.groups().isEmpty, "A picture without a size is alike none.")
    }

    /// Groups with few comparisons are parts of the groups with all of them.
    @Test(arguments: 1...6 as ClosedRange<UInt64>) func aSmallAllowanceMissesPairsAndInventsNone(_ seed: UInt64) {
        let photos = Self.pictures(seed)
        let whole = NearDuplicateFinder().groups(among: photos).map { Set($0.photos) }
        var counts: [Int] = []
        for allowance in [0, 1000, 10_000, 10_000_000] {
            var search = NearDuplicateSearch(photos, coarse: 5, fine: 20, allowance: allowance)
            let groups = search.groups().map { members in Set(members.map { photos[$0].id }) }
            #expect(groups.allSatisfy { group in whole.contains { $0.isSuperset(of: group) } })
            counts.append(groups.reduce(0) { $0 + $1.count - 1 })
        }
        let all = whole.reduce(0) { $0 + $1.count - 1 }
        #expect(counts == counts.sorted() && counts.last == all)
    }

    @Test func comparesNoMoreThanItsAllowance() {
        var numbers = SeededNumbers(state: 3)
        let photos = (0..<4000).map { number in
            var one = photo(Int64(number))
            one.features.hash256.words = (numbers.next(), numbers.next(), numbers.next(), numbers.next())
            // Equal bands, so that no index helps.
            for _ in 0..<40 { one.features.hash256.words.0 &= numbers.next() | 0xFF }
            return one
        }
        var search = NearDuplicateSearch(photos, coarse: 5, fine: 63, allowance: 100_000)
        _ = search.groups()
        // A photo that is being compared is compared with all others of its class.
        #expect(search.allowance <= 0 && search.allowance > -photos.count)
    }

    @Test func readsTheHashesOfImageHash() throws {
        let text = "00ff0f3c5a96e1d2"
        let hash = try #require(PhotoHash64(hexadecimal: text))
        #expect(hash.description == text && hash.bits == 0x00FF_0F3C_5A96_E1D2)
        let wide = try #require(PhotoHash256(hexadecimal: String(repeating: text, count: 4)))
        #expect(wide.description == String(repeating: text, count: 4))
        #expect(wide.distance(to: PhotoHash256(words: (0, 0, 0, 0))) == 4 * hash.bits.nonzeroBitCount)
        for broken in ["", "00ff0f3c5a96e1d", "+0ff0f3c5a96e1d2", "00ff0f3c5a96e1dg"] {
            #expect(PhotoHash64(hexadecimal: broken) == nil)
        }
    }
}
