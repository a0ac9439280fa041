import Foundation
import HablareData
import HablarePersistence
import Logging
import SiftCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Decisions that a person makes one after another. Each is on disk before the next one begins.
enum Decisions {
    static func measure(count: Int, in scratch: URL) async throws {
        report("sift.sync", try syncs(in: scratch), "/s", aim: "the disk, 4 KiB each, for comparison")
        let floor = try await DiskFloor.commits(in: scratch)
        report("sift.commit", floor, "/s", aim: "transactions of one row: the floor of a decision")
        let folder = scratch.appendingPathComponent("photos")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<count {
            try Data("picture \(number)".utf8).write(to: folder.appendingPathComponent("IMG_\(number).jpg"))
        }
        let database = try await AppDatabase.open(
            at: scratch.appendingPathComponent("sift.sqlite"), migrator: SiftSchema.migrator,
            options: SiftSchema.options)
        let (library, session) = try await database.write { db in
            let library = try PhotoStore().addLibrary(LibraryFolder.open(folder.path), at: Date(), in: db)
            return (library, try DecisionStore().beginSession(of: library.id, at: Date(), in: db))
        }
        let clock = ContinuousClock()
        let start = clock.now
        try await LibraryScanner(database: database).scan(library)
        report("sift.scan", Double(count) / (clock.now - start).seconds, "photos/s")
        let photos = try await database.read { try PhotoStore().photos(of: library.id, limit: count, in: $0) }
        // Nothing is carried out at first: this measures the way until a decision is acknowledged.
        let home = scratch.appendingPathComponent("Trash")
        let processor = try await PhotoBatchProcessor(
            database: database, trash: Trash(journal: StoredTrashJournal(database), home: Array(home.path.utf8)),
            configuration: .siftWithReview,
            logger: Logger(label: "sift-bench") { _ in SwiftLogNoOpLogHandler() })
        let half = photos.count / 2
        for (kind, photos) in [(PhotoAction.Kind.keep, photos[..<half]), (.trash, photos[half...])] {
            var times: [Double] = []
            let (start, before) = (clock.now, processorTime())
            for photo in photos {
                let began = clock.now
                try await processor.decide(DecisionRequest(photo, kind: kind), session: session.id)
                times.append((clock.now - began).seconds * 1000)
            }
            let rate = Double(photos.count) / (clock.now - start).seconds
            report("sift.decide.\(kind)", rate, "/s", aim: "≥ 2000")
            report("sift.decide.\(kind).of-floor", rate / floor, "x")
            // Steadier than the rate where others use the machine.
            let each = (processorTime() - before) * 1_000_000 / Double(photos.count)
            report("sift.decide.\(kind).processor", each, "µs each, of all threads")
            report("sift.decide.\(kind).p99", percentile(times, 0.99), "ms")
        }
        let undoing = clock.now
        for _ in 0..<half { try await processor.undo(of: library.id) }
        let undone = Double(half) / (clock.now - undoing).seconds
        report("sift.undo", undone, "/s", aim: "≥ 2000")
        report("sift.undo.of-floor", undone / floor, "x")
        try await carryOut(photos.suffix(min(300, half)), processor, session: session.id, home: home, in: scratch)
    }

    /// Measures how many shots a second are moved to the trash, beside the calls without which no crash is survived.
    private static func carryOut(
        _ photos: ArraySlice<Photo>, _ processor: PhotoBatchProcessor, session: Int64, home: URL, in scratch: URL
    ) async throws {
        let floor = try await DiskFloor.moves(photos.count, in: scratch)
        report("sift.move", floor, "/s", aim: "journal, description, rename and folders, synced")
        for photo in photos { try await processor.decide(DecisionRequest(photo, kind: .trash), session: session) }
        let clock = ContinuousClock()
        let rate = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await processor.run() }
            for await snapshot in processor.updates where snapshot.isRunning { break }
            let start = clock.now
            try await processor.flush()
            let rate = Double(photos.count) / (clock.now - start).seconds
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError { return rate }
            return rate
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: home.appendingPathComponent("files").path)
        guard files.count == photos.count else {
            throw CocoaError(
                .fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "\(files.count) files in the trash"])
        }
        report("sift.trash", rate, "/s")
        report("sift.trash.of-floor", rate / floor, "x")
    }

    /// The processor time of this process in seconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns how many writes of 4 KiB at the end of a file the disk syncs in a second.
    private static func syncs(in scratch: URL) throws -> Double {
        let file = scratch.appendingPathComponent("syncs")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { close(handle.fileDescriptor) }
        let (clock, page, count) = (ContinuousClock(), Data(count: 4096), 500)
        let start = clock.now
        for _ in 0..<count {
            try handle.write(contentsOf: page)
            fsync(handle.fileDescriptor)
        }
        return Double(count) / (clock.now - start).seconds
    }
}
