import Foundation
import SiftCore

@testable import SiftImaging

/// The pictures of the folder `Fixtures`, and temporary files.
enum Fixture {
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name)").path
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Opens a file as a photo.
    static func photo(atPath path: String) throws -> OpenPhoto {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        let version = PhotoVersion(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size), modified: modified
        )
        return OpenPhoto(owning: descriptor, id: PhotoID(rawValue: 1), version: version)
    }

    static func photo(_ name: String) throws -> OpenPhoto { try photo(atPath: path(name)) }

    /// Makes a photo of bytes, in a file that is removed at once.
    static func photo(_ bytes: [UInt8]) throws -> OpenPhoto {
        let path = temporaryPath()
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        return try photo(atPath: path)
    }

    static func temporaryPath() -> String { NSTemporaryDirectory() + "sift-imaging-\(UUID().uuidString)" }

    /// The executable that plays workers.
    static var testWorker: String {
        // The test bundle lies beside it.
        let folder = Bundle.allBundles.map(\.bundlePath) + [CommandLine.arguments[0], "/proc/self/exe"]
        for path in folder {
            var folder = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            for _ in 0..<3 {
                folder.deleteLastPathComponent()
                let candidate = folder.appendingPathComponent("SiftImagingTestWorker").path
                if access(candidate, X_OK) == 0 { return candidate }
            }
        }
        return "/nonexistent/SiftImagingTestWorker"
    }

    /// A pool of real or misbehaving workers.
    static func pool(
        _ mode: String = "serve", workers: Int = 2, jobsPerWorker: Int = 500, limits: ImagingLimits = ImagingLimits(),
        thumbnails: ThumbnailCache? = nil
    ) -> ImagingPool {
        ImagingPool(
            .init(
                command: WorkerCommand(executable: testWorker, arguments: [mode]), workers: workers,
                jobsPerWorker: jobsPerWorker, limits: limits, thumbnails: thumbnails))
    }

    /// Runs a body with a pool, and ends its workers.
    static func withPool<Value>(_ pool: ImagingPool, _ body: (ImagingPool) async throws -> Value) async throws -> Value
    {
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Whether libvips runs in this process. Tests use it for our own pictures only.
    static let decoder: Bool = Decoder.start(threads: 1)

    /// Decodes a picture in this process.
    static func decode(_ name: String, edge: Int = 65_535) throws -> Decoder.Pixels {
        _ = decoder
        let photo = try photo(name)
        return try withExtendedLifetime(photo) {
            try Decoder.decode(
                .init(descriptor: photo.descriptor), edge: edge, orientation: 0, maximumPixels: 1_000_000)
        }
    }
}

/// Small and fast, and the same on each machine: a seed gives the same numbers for ever.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
