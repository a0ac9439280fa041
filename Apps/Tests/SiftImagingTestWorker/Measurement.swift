import Foundation
import SiftCore
import SiftImaging

/// Measures the pool over real photos: `SiftImagingTestWorker measure KIND FILE…`, where KIND is `card`, `thumbnail`,
/// `full`, `embedded`, `header` or `features`. Build it for release. `SiftImagingTestWorker hashes FOLDER FILE…` fills a
/// thumbnail cache and prints each thumbnail's path and hashes, as `recompute-hashes.py --compare` does.
enum Measurement {
    static func run(_ arguments: [String]) async -> Int32 {
        guard let kind = arguments.first, arguments.count > 1 else { return 2 }
        let pool = ImagingPool(.init(command: .thisExecutable(subcommand: "serve")))
        let clock = ContinuousClock()
        var photos: [OpenPhoto] = []
        for path in arguments.dropFirst() {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            photos.append(photo(descriptor))
        }
        let start = clock.now
        var times: [Duration] = []
        var failures = 0
        await withTaskGroup(of: Duration?.self) { group in
            // As many at once as the core loads.
            var waiting = photos[...]
            for photo in waiting.prefix(5) { group.addTask { await time(kind, photo, pool, clock) } }
            waiting = waiting.dropFirst(5)
            for await time in group {
                if let time { times.append(time) } else { failures += 1 }
                if let photo = waiting.popFirst() { group.addTask { await Self.time(kind, photo, pool, clock) } }
            }
        }
        let total = clock.now - start
        await pool.close()
        times.sort()
        func at(_ share: Double) -> Duration {
            times.isEmpty ? .zero : times[min(times.count - 1, Int(Double(times.count) * share))]
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        print(
            "\(kind): \(photos.count) photos in \(total), median \(at(0.5)), p95 \(at(0.95)), failed \(failures), own peak \(usage.ru_maxrss) KB"
        )
        return 0
    }

    private static func photo(_ descriptor: Int32) -> OpenPhoto {
        var status = stat()
        fstat(descriptor, &status)
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000
        let version = PhotoVersion(device: 0, inode: 0, size: 0, modified: modified)
        return OpenPhoto(owning: descriptor, id: PhotoID(rawValue: 1), version: version)
    }

    static func printHashes(_ arguments: [String]) async -> Int32 {
        guard let folder = arguments.first else { return 2 }
        let cache = ThumbnailCache(folder: folder)
        let pool = ImagingPool(
            .init(command: .thisExecutable(subcommand: "serve"), workers: 1, thumbnails: cache))
        var status: Int32 = 0
        for path in arguments.dropFirst() {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            let photo = photo(descriptor)
            let modified = photo.version.modified / 1_000_000_000
            guard let key = ThumbnailCache.Key(path: Array(path.utf8), modified: modified) else { continue }
            do {
                _ = try await pool.rendition(of: photo, .card)
                // The only worker has stored the thumbnail before it does this.
                let features = try await pool.features(of: photo)
                print(cache.path(key, .extraLarge), features.hash64, features.hash256)
            } catch {
                print(path, error)
                status = 1
            }
        }
        await pool.close()
        return status
    }

    private static func time(
        _ kind: String, _ photo: OpenPhoto, _ pool: ImagingPool, _ clock: ContinuousClock
    ) async -> Duration? {
        let start = clock.now
        do throws(PhotoProcessingError) {
            switch kind {
            case "header": _ = try await pool.header(of: photo)
            case "features": _ = try await pool.features(of: photo)
            default:
                guard let size = RenditionSize(kind) else { return nil }
                _ = try await pool.rendition(of: photo, size)
            }
            return clock.now - start
        } catch {
            return nil
        }
    }
}
