import Foundation
import HablareData
import HablarePersistence
import Observation
import ServiceLifecycle
import SiftCore

extension LibraryDesk {
    /// Shows the photos, scans, follows changes of the folder and of the queue, and reads headers, until a graceful
    /// shutdown.
    public nonisolated func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await self.model.run() }
                group.addTask { await self.followModel() }
                group.addTask { await self.followQueue() }
                group.addTask { try await self.followFolder() }
                try await group.waitForAll()
            }
        }
        await loader.shutdown()
    }

    /// What the store is read for again.
    private struct Trigger: Sendable, Hashable {
        var photo: PhotoID?
        var undo: Int
        var redo: Int
        var pending: Int
    }

    private func followModel() async {
        let triggers = Observations { @MainActor [model] in
            Trigger(
                photo: model.currentPhoto?.id, undo: model.undoCount, redo: model.redoCount,
                pending: model.pending.pending)
        }
        for await _ in triggers { await look() }
    }

    private func followQueue() async {
        for await _ in processor.updates {
            let pending = processor.pendingActions.filter { !$0.isUndone && $0.action.kind != .restore }
                .map { WaitingDecision(action: $0.action, failure: $0.phase == .failed ? $0.failure : nil) }
            if pending != waiting { waiting = pending }
        }
    }

    /// Reads the store again. If that fails, the next change reads it; decisions report the failure themselves.
    private func look() async {
        do { try await read() } catch { readings.shown = readings.last }
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
            library.isScanning = false
        }
    }

    private func scan(_ watch: LibraryWatch) async throws {
        library.isScanning = true
        let scanner = LibraryScanner(database: database, date: date)
        try await scanner.scan(record, progress: { _ in await self.found() }, visited: { watch.add($0) })
        await found()
        library.isScanning = false
        try await readHeaders()
    }

    private func found() async {
        await model.refresh()
        await look()
    }

    /// Reads the headers and then the features of all photos that lack them.
    private nonisolated func readHeaders() async throws {
        let id = record.id
        while true {
            let batch = try await database.read { [photos] in try photos.photosWithoutHeader(of: id, limit: 32, in: $0) }
            if batch.isEmpty { break }
            for photo in batch { try await readHeader(of: photo) }
            await found()
        }
        while true {
            let batch = try await database.read { [photos] in
                try photos.photosWithoutFeatures(of: id, limit: 16, in: $0)
            }
            if batch.isEmpty { break }
            for photo in batch { try await readFeatures(of: photo) }
            await found()
        }
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

    @concurrent private nonisolated func open(_ photo: Photo) async throws -> OpenPhoto {
        try LibraryFolder.open(record.path).open(photo.principal.path, id: photo.id, expecting: photo.version)
    }

    /// Records why a photo cannot be shown.
    private nonisolated func fail(_ photo: Photo, _ error: PhotoProcessingError) async throws {
        if error.code == .cancelled { throw CancellationError() }
        try await database.write { [photos] in try photos.save(error, of: photo.id, version: photo.version, in: $0) }
    }
}
