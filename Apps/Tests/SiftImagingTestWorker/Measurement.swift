import Foundation
import SiftCore
import SiftImaging

/// Measures the pool over real photos: `SiftImagingTestWorker measure KIND AT-ONCE FILE…`, where KIND is `card`,
/// `thumbnail`, `screen-2048`, `full`, `embedded`, `header` or `features`, and AT-ONCE is the number of calls that run at
/// a time. Build it for release. Prints one line of JSON. `SiftImagingTestWorker hashes FOLDER FILE…` fills a thumbnail
/// cache and prints each thumbnail's path and hashes, as `recompute-hashes.py --compare` does.
enum Measurement {
    /// The figures of one run. Times are in seconds.
    private struct Figures: Encodable {
        var kind: String
        var photos: Int
        var failed: Int
        var seconds: Double
        var median: Double
        var p95: Double
        /// The processor time of all workers.
        var processorSeconds: Double
        /// The largest resident memory of this process and of one worker.
        var ownPeakBytes: Int
        var workerPeakBytes: Int
    }

    static func run(_ arguments: [String]) async -> Int32 {
        guard arguments.count > 2, let atOnce = Int(arguments[1]), atOnce > 0 else { return 2 }
        let kind = arguments[0]
        let pool = ImagingPool(.init(command: .thisExecutable(subcommand: "serve")))
        let clock = ContinuousClock()
        var photos: [OpenPhoto] = []
        for path in arguments.dropFirst(2) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            photos.append(photo(descriptor))
        }
        let start = clock.now
        var times: [Duration] = []
        var failures = 0
        await withTaskGroup(of: Duration?.self) { group in
            var waiting = photos[...]
            for photo in waiting.prefix(atOnce) { group.addTask { await time(kind, photo, pool, clock) } }
            waiting = waiting.dropFirst(atOnce)
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
        let (own, workers) = (usage(RUSAGE_SELF.rawValue), usage(RUSAGE_CHILDREN.rawValue))
        let figures = Figures(
            kind: kind, photos: photos.count, failed: failures, seconds: total / .seconds(1),
            median: at(0.5) / .seconds(1), p95: at(0.95) / .seconds(1),
            processorSeconds: seconds(workers.ru_utime) + seconds(workers.ru_stime),
            ownPeakBytes: own.ru_maxrss << 10, workerPeakBytes: workers.ru_maxrss << 10)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            print(String(decoding: try encoder.encode(figures), as: UTF8.self))
            return 0
        } catch {
            return 1
        }
    }

    private static func usage(_ of: Int32) -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(of), &usage)
        return usage
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

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
