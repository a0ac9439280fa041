import Foundation
import SiftCore
import Testing

@testable import SiftImaging

/// Photos that are damaged or made to harm (integration).
struct HostilePhotoTests {
    private func withPool(_ body: (ImagingPool) async throws -> Void) async throws {
        try await Fixture.withPool(Fixture.pool(workers: 1), body)
    }

    @Test(arguments: ["plain.jpg", "progressive.jpg", "plain.png", "rgb16.png"])
    func aTruncatedPhotoShowsWhatIsLeft(name: String) async throws {
        try await withPool { pool in
            let bytes = try Fixture.bytes(name)
            let photo = try Fixture.photo(Array(bytes[..<(bytes.count * 2 / 3)]))
            let picture = try await pool.rendition(of: photo, .card)
            #expect(picture.isDamaged)
            #expect(picture.width == 96)
            #expect(try await pool.features(of: photo).isDamaged)
        }
    }

    @Test(arguments: [[], Array("This is a text named like a photo.".utf8), [0xFF, 0xD8, 0xFF], Array("<svg/>".utf8)])
    func whatIsNoPhotoFails(bytes: [UInt8]) async throws {
        try await withPool { pool in
            let photo = try Fixture.photo(bytes)
            for size in [RenditionSize.card, .embedded, .full] {
                await #expect(throws: PhotoProcessingError.self) { try await pool.rendition(of: photo, size) }
            }
            await #expect(throws: PhotoProcessingError.self) { try await pool.header(of: photo) }
            await #expect(throws: PhotoProcessingError.self) { try await pool.features(of: photo) }
        }
    }

    /// Loaders that libvips distrusts, and formats that no photo has, are blocked.
    @Test(arguments: [
        "P6 2 2 255\n0123456789ab", "#?RADIANCE\n", "%PDF-1.4\n", "SIMPLE  =                    T",
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", "2 2\n1 2\n3 4\n",
    ])
    func otherLoadersAreBlocked(text: String) async throws {
        try await withPool { pool in
            let photo = try Fixture.photo(Array(text.utf8))
            await #expect(throws: PhotoProcessingError.self) { try await pool.rendition(of: photo, .card) }
        }
    }

    @Test func aBombIsRefusedByItsHeader() async throws {
        var bomb = try Fixture.bytes("plain.png")
        // 30,000 × 30,000 pixels, with the checksum of that header.
        let header: [UInt8] = Array("IHDR".utf8) + [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 8, 2, 0, 0, 0]
        bomb.replaceSubrange(12..<29, with: header)
        bomb.replaceSubrange(29..<33, with: PNGTextTestsSupport.crc(header))
        try await withPool { pool in
            let photo = try Fixture.photo(bomb)
            let claimed = try await pool.header(of: photo)
            #expect(claimed.width == 30_000)
            #expect(claimed.predictedBytes > 2_000_000_000)
            do throws(PhotoProcessingError) {
                _ = try await pool.rendition(of: photo, .card)
                Issue.record("the bomb was decoded")
            } catch {
                #expect(error.message == "This photo has too many pixels to be decoded safely.")
            }
        }
    }

    @Test func aFolderAndAPipeFail() async throws {
        let pipe = Fixture.temporaryPath()
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        try await withPool { pool in
            for path in ["/tmp", pipe] {
                let photo = try Fixture.photo(atPath: path)
                await #expect(throws: PhotoProcessingError(.permissionMissing)) { try await pool.header(of: photo) }
                await #expect(throws: PhotoProcessingError.self) { try await pool.rendition(of: photo, .card) }
            }
        }
    }

    @Test func lyingEXIFIsNotBelieved() async throws {
        var bytes = try Fixture.bytes("orientation-1.jpg")
        // The orientation's value, wherever it lies: entry 0x0112, type 3, count 1, value 1.
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 1]
        let place = try #require((0..<bytes.count - 10).first { Array(bytes[$0..<$0 + 10]) == entry })
        bytes[place + 9] = 99
        try await withPool { pool in
            let photo = try Fixture.photo(bytes)
            #expect(try await pool.header(of: photo).orientation == 1)
            #expect(try await pool.rendition(of: photo, .card).width == 48)
        }
    }

    /// Damaged files of each kind of ``Mutation`` end in a picture or in an error, and the pool still works afterwards.
    /// The seed makes a failure repeatable; `SIFT_FUZZ_FILES` and `SIFT_FUZZ_SEED` make the run longer or another.
    @Test func thePoolSurvivesDamagedFiles() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SIFT_FUZZ_FILES"].flatMap { Int($0) } ?? 280
        let seed = environment["SIFT_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
        let names = [
            "camera.jpg", "progressive.jpg", "cmyk.jpg", "grey.jpg", "interlaced.png", "rgb16.png", "palette.png",
            "alpha.png", "lossless.webp", "lossy.webp", "animated.webp", "plain.tif", "plain.heic",
        ]
        var raw = TIFFBuilder()
        let preview = try Fixture.bytes("plain.jpg")
        let originals =
            try names.map { try Fixture.bytes($0) } + [
                raw.file([
                    [
                        (0xC612, .long([1])), (0x0110, .text("Acme Raw")),
                        (0x014A, .directory([(0x0201, .jpeg(preview, lengthTag: 0x0202))])),
                    ]
                ])
            ]
        var numbers = SeededNumbers(seed: seed)
        let pool = Fixture.pool(limits: ImagingLimits(memory: 512 << 20, processorSeconds: 5, timeout: .seconds(10)))
        try await Fixture.withPool(pool) { pool in
            var codes: [String: Int] = [:]
            for start in stride(from: 0, to: count, by: 50) {
                let damaged = (start..<min(start + 50, count)).map { index -> (Mutation, [UInt8]) in
                    let kind = Mutation.allCases[index % Mutation.allCases.count]
                    return (kind, kind.damage(originals[index / Mutation.allCases.count % originals.count], &numbers))
                }
                try await withThrowingTaskGroup(of: String.self) { group in
                    for (index, (kind, bytes)) in damaged.enumerated() {
                        group.addTask { "\(kind.rawValue) \(try await Self.outcome(pool, bytes, index / 7))" }
                    }
                    for try await code in group { codes[code, default: 0] += 1 }
                }
            }
            #expect(codes.values.reduce(0, +) == count)
            #expect(!codes.keys.contains { $0.hasSuffix("nonsense") }, "seed \(seed): \(codes)")
            #expect(codes.keys.allSatisfy { !$0.hasPrefix("text") || $0 == "text refused" }, "seed \(seed): \(codes)")
            #expect(try await pool.rendition(of: try Fixture.photo("plain.jpg"), .card).width == 96)
            if environment["SIFT_FUZZ_FILES"] != nil {
                print("seed \(seed)")
                for (code, number) in codes.sorted(by: { $0.key < $1.key }) { print("  \(code): \(number)") }
            }
        }
    }

    private static func outcome(_ pool: ImagingPool, _ bytes: [UInt8], _ index: Int) async throws -> String {
        let photo = try Fixture.photo(bytes)
        do throws(PhotoProcessingError) {
            switch index % 4 {
            case 0: _ = try await pool.header(of: photo)
            case 1: _ = try await pool.features(of: photo)
            case 2: _ = try await pool.rendition(of: photo, index % 8 == 2 ? .embedded : .full)
            default: return try await pool.rendition(of: photo, .card).isDamaged ? "damaged" : "whole"
            }
            return "whole"
        } catch {
            let cause = error.cause ?? ""
            return cause.contains("broke its protocol")
                ? "nonsense" : cause.contains("unexpectedly") ? "crash" : cause.contains("limit") ? "limit" : "refused"
        }
    }
}
