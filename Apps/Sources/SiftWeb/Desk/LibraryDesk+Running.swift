import Foundation
import HablareData
import HablarePersistence
import Observation
import ServiceLifecycle
import SiftCore

extension LibraryDesk {
    /// Follows the model, the queue and the library until a graceful shutdown.
    public nonisolated func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.model.run() }
                group.addTask { await self.followModel() }
                group.addTask { await self.followQueue() }
                group.addTask { await self.followLibrary() }
            }
        }
        await loader.shutdown()
    }

    /// What the store is read for again.
    private struct Trigger: Sendable, Hashable {
        var photo: PhotoID?
        var hasPicture: Bool
        var undo: Int
        var redo: Int
        var pending: Int
    }

    private func followModel() async {
        let triggers = Self.changes { [model] in
            Trigger(
                photo: model.currentPhoto?.id, hasPicture: model.picture != nil, undo: model.undoCount,
                redo: model.redoCount, pending: model.pending.pending)
        }
        for await _ in triggers { await look() }
    }

    /// Returns the states of models, now and after each change. Generic, because the compiler (6.3.1) crashes on
    /// `Observations` of a closure that returns a structure.
    private nonisolated static func changes<State: Sendable>(
        _ state: @escaping @MainActor @Sendable () -> State
    ) -> Observations<State, Never> {
        Observations({ @MainActor in state() })
    }

    private func followQueue() async {
        for await _ in processor.updates {
            let pending = processor.pendingActions.filter { !$0.isUndone && $0.action.kind != .restore }
                .map { WaitingDecision(action: $0.action, failure: $0.phase == .failed ? $0.failure : nil) }
            if pending != waiting { waiting = pending }
        }
    }

    private func followLibrary() async {
        for await activity in activities {
            switch activity {
            case .scanning:
                library.isScanning = true
                library.problem = isWritable ? nil : .readOnly
            case .indexing, .watching:
                library.isScanning = false
                library.problem = isWritable ? nil : .readOnly
            case .failed:
                library.isScanning = false
                library.problem = .gone
                continue
            }
            await model.refresh()
            await look()
        }
    }

    private var isWritable: Bool { FileManager.default.isWritableFile(atPath: record.displayPath) }

    /// Reads the store again. If that fails, the next change reads it; decisions report the failure themselves.
    private func look() async {
        do { try await read() } catch { readings.shown = readings.last }
    }

    /// A picture was sent to a page. Its load may have found the photo's size.
    func sent(_ photo: PhotoID) async {
        guard ([chosen, model.currentPhoto].compactMap { $0 } + model.queue).contains(where: { $0.id == photo }),
            reading.known[photo]?.header == nil
        else { return }
        await look()
    }
}
