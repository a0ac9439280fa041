import Foundation
import HTTPTypes
import Hablare
import HablareWeb
import LecternCore
import LecternTexts
import Observation
import ServiceLifecycle

/// The files that are made to hand out: one at a time, in the order in which a person asked for them.
///
/// The files are in a folder of the data directory until the person removes them, or until the next start. Audio that was
/// made stays in its cache, so the same file is made quickly again.
@MainActor @Observable
final class HandoutDesk: Service {
    /// The most files that are kept: 20. The oldest that is ready or has failed is removed first.
    nonisolated static let most = 20

    /// A file.
    struct Item: Identifiable, Sendable {
        /// The state of a file.
        enum Phase: String, Sendable { case waiting, making, ready, failed }

        let id: UUID
        let name: String
        let form: Handout.Form
        let title: String
        fileprivate(set) var phase = Phase.waiting
        /// The chapters that are ready, and all chapters.
        fileprivate(set) var chapters = (ready: 0, all: 0)
        /// The reason of a failure, or a remark, such as the number of verses that could not be read.
        fileprivate(set) var message: String?
        fileprivate(set) var size = 0
    }

    /// The files, the newest first.
    private(set) var items: [Item] = []
    @ObservationIgnored private let folder: URL
    @ObservationIgnored private let narrator: ChapterNarrator
    @ObservationIgnored private var works: [UUID: Handout] = [:]
    @ObservationIgnored private let requests: AsyncStream<UUID>
    @ObservationIgnored private let added: AsyncStream<UUID>.Continuation
    @ObservationIgnored private var stopping: (id: UUID, stop: AsyncStream<Void>.Continuation)?

    /// Creates a desk. Its folder is emptied when it runs.
    init(in folder: URL, narrator: ChapterNarrator) {
        self.folder = folder
        self.narrator = narrator
        (requests, added) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    // MARK: Commands

    /// Adds a file to make. The same id twice is one file.
    ///
    /// - Throws: `ExportError` if the text has no such part. The errors of the database.
    func add(_ export: TextExport, as form: Handout.Form, id: UUID) async throws {
        guard !items.contains(where: { $0.id == id }) else { return }
        let voice = ExportVoice(narrator, voice: ListeningDesk.voice(for: export.text.description.language))
        let handout = Handout(export, as: form, voice: voice)
        let item = Item(
            id: id, name: try await handout.fileName(), form: form, title: try await export.title())
        guard !items.contains(where: { $0.id == id }) else { return }
        if items.count >= Self.most {
            guard let oldest = items.last(where: { [.ready, .failed].contains($0.phase) }) else {
                throw FaceProblem(
                    .conflict, code: "tooManyFiles", title: "Too many files wait",
                    detail: "\(Self.most) files are still to be made. Wait until one is ready, or remove one.")
            }
            remove(oldest.id)
        }
        items.insert(item, at: 0)
        works[id] = handout
        added.yield(id)
    }

    /// Removes a file. One that is being made is stopped.
    func remove(_ id: UUID) {
        if let stopping, stopping.id == id { stopping.stop.finish() }
        works[id] = nil
        items.removeAll { $0.id == id }
        removeFile(of: id)
    }

    /// The place of a file that is ready.
    func file(_ id: UUID) -> (url: URL, item: Item)? {
        guard let item = items.first(where: { $0.id == id }), item.phase == .ready else { return nil }
        return (url(of: id), item)
    }

    // MARK: Work

    /// Makes the files until the program stops.
    func run() async throws {
        try emptyFolder()
        await cancelWhenGracefulShutdown { await self.makeAll() }
    }

    private func makeAll() async {
        for await id in requests {
            guard let handout = works.removeValue(forKey: id) else { continue }
            await make(handout, id)
            if Task.isCancelled { return }
        }
    }

    private func make(_ handout: Handout, _ id: UUID) async {
        update(id) { $0.phase = .making }
        let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
        stopping = (id, stop)
        defer { stopping = nil }
        let file = url(of: id)
        do {
            let report = try await withThrowingTaskGroup(of: ExportReport.self) { group in
                group.addTask {
                    try await handout.write(to: file) { ready, all in
                        await self.update(id) { $0.chapters = (ready, all) }
                    }
                }
                group.addTask {
                    for await _ in stopped {}
                    throw CancellationError()
                }
                defer { group.cancelAll() }
                guard let report = try await group.next() else { throw CancellationError() }
                return report
            }
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
            update(id) { item in
                item.phase = .ready
                item.size = size
                if !report.problems.isEmpty {
                    item.message = "\(report.problems.count) verses could not be read. They are in the text only."
                }
            }
        } catch {
            // If the person has removed it, there is nothing left to update.
            let message = (error as? ExportError)?.message ?? (error as? AIServiceError)?.message
            update(id) { item in
                item.phase = .failed
                item.message = message ?? "The file could not be made. Check the free space, and try again."
            }
        }
        // A file that was removed while it was made.
        if !items.contains(where: { $0.id == id }) { removeFile(of: id) }
    }

    private func update(_ id: UUID, _ edit: (inout Item) -> Void) {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        edit(&items[index])
    }

    // MARK: Files

    private func url(of id: UUID) -> URL { folder.appendingPathComponent(id.uuidString.lowercased()) }

    private func removeFile(of id: UUID) {
        do {
            try FileManager.default.removeItem(at: url(of: id))
        } catch {
            return  // it was not made yet, or the next start removes it
        }
    }

    private func emptyFolder() throws {
        if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
