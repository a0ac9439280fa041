import Foundation
import HablareData
import HablarePersistence
import ServiceLifecycle
import SiftCore

extension LibraryDesk {
    /// Scans, follows changes of the folder and of the queue, and reads headers, until a graceful shutdown.
    public nonisolated func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await self.followQueue() }
                group.addTask { try await self.followRefusals() }
                group.addTask { try await self.followFolder() }
                try await group.waitForAll()
            }
        }
    }

    private func followQueue() async {
        for await snapshot in processor.updates {
            let next = QueueStatus(
                pending: snapshot.pending, failures: snapshot.failed, isBusy: snapshot.underWay > 0,
                waitsForReview: queue.waitsForReview)
            if next != queue { queue = next }
            let pending = processor.pendingActions.filter { !$0.isUndone && $0.action.kind != .restore }
                .map { WaitingDecision(action: $0.action, failure: $0.phase == .failed ? $0.failure : nil) }
            if pending != waiting { waiting = pending }
            await look()
        }
    }

    /// Shows each refusal for a while.
    private func followRefusals() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await refusal in processor.refusals {
                await look()
                deck.failure = refusal.error
                group.addTask { try await self.forget(refusal.error) }
            }
        }
    }

    private func forget(_ failure: PhotoProcessingError) async throws {
        try await clock.sleep(for: Self.failureTime)
        if deck.failure == failure { deck.failure = nil }
    }

    /// Scans now and after each change of the folder.
    private func followFolder() async throws {
        while !Task.isCancelled {
            do throws(PhotoProcessingError) {
                let folder = try LibraryFolder.open(record.path)
                library.problem = FileManager.default.isWritableFile(atPath: record.displayPath) ? nil : .readOnly
                try await follow(folder)
            } catch {
                library.problem = .gone
                library.isScanning = false
            }
            try await clock.sleep(for: .seconds(2))
        }
    }

    private func follow(_ folder: LibraryFolder) async throws(PhotoProcessingError) {
        let watch = LibraryWatch(folder)
        do {
            try await scan(watch)
            for await _ in watch.changes() {
                try await scan(watch)
            }
        } catch let error as PhotoProcessingError {
            throw error
        } catch {
            // A cancellation, or a failure of the store, which the next scan meets again.
        }
    }

    private func scan(_ watch: LibraryWatch) async throws {
        library.isScanning = true
        let scanner = LibraryScanner(database: database, date: date)
        try await scanner.scan(
            record, progress: { _ in await self.look() }, visited: { watch.add($0) })
        try await refresh()
        library.isScanning = false
        try await readHeaders()
    }

    /// Reads the store again. If that fails, the next change reads it.
    private func look() async {
        do {
            try await refresh()
        } catch {
            deck.failure = PhotoProcessingError(
                .processingFailed, message: "Sift cannot read its database.",
                advice: "Check that the disk is not full, then run `sift doctor`.")
        }
    }

    /// Reads the headers and then the features of all photos that lack them.
    private nonisolated func readHeaders() async throws {
        let id = record.id
        while true {
            let batch = try await database.read { [photos] in try photos.photosWithoutHeader(of: id, limit: 32, in: $0) }
            if batch.isEmpty { break }
            for photo in batch { try await readHeader(of: photo) }
            try await refresh()
        }
        while true {
            let batch = try await database.read { [photos] in
                try photos.photosWithoutFeatures(of: id, limit: 16, in: $0)
            }
            if batch.isEmpty { break }
            for photo in batch { try await readFeatures(of: photo) }
        }
        try await refresh()
    }

    private nonisolated func readHeader(of photo: Photo) async throws {
        do {
            let header = try await imaging.header(of: try await open(photo))
            try await database.write { [photos] in
                try photos.save(header, of: photo.id, version: photo.version, in: $0)
            }
        } catch let error as PhotoProcessingError {
            try await fail(photo, error)
        }
    }

    private nonisolated func readFeatures(of photo: Photo) async throws {
        do {
            let features = try await imaging.features(of: try await open(photo))
            try await database.write { [photos] in
                try photos.save(features, of: photo.id, version: photo.version, in: $0)
            }
        } catch let error as PhotoProcessingError {
            try await fail(photo, error)
        }
    }

    /// Records why a photo cannot be shown.
    private nonisolated func fail(_ photo: Photo, _ error: PhotoProcessingError) async throws {
        if error.code == .cancelled { throw CancellationError() }
        try await database.write { [photos] in try photos.save(error, of: photo.id, version: photo.version, in: $0) }
    }
}
