import HablareTestKit
import Testing

@testable import SiftCore

/// Numbers that are the same in every run.
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

    @Test(arguments: 0...7) func findsEveryPair(_ coarse: Int) {
        var numbers = Numbers(state: UInt64(coarse))
        var hashes: [UInt64] = []
        for _ in 0..<60 {
            let base = numbers.next()
            hashes.append(base)
            for _ in 0..<4 {
                var near = base
                for _ in 0..<Int.random(in: 0...9, using: &numbers) {
                    near ^= 1 << UInt64.random(in: 0..<64, using: &numbers)
                }
                hashes.append(near)
            }
        }
        var found: Set<[Int]> = []
        NearDuplicateFinder(coarse: coarse).forEachPair(of: hashes) { found.insert([min($0, $1), max($0, $1)]) }
        var expected: Set<[Int]> = []
        for first in hashes.indices {
            for second in hashes.indices.dropFirst(first + 1)
            where (hashes[first] ^ hashes[second]).nonzeroBitCount <= coarse {
                expected.insert([first, second])
            }
        }
        #expect(found == expected && !expected.isEmpty)
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
