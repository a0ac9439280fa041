import Foundation
import Hablare
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

    /// Reads the store again after each change of the model. `Observations` is not used here: the compiler (6.3.1)
    /// crashes, or makes a program that crashes, with a closure over a model that is isolated to the main actor.
    private func followModel() async {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var next = changes.makeAsyncIterator()
        repeat {
            let present = withObservationTracking {
                _ = (model.error, model.pictureError)
                return basis
            } onChange: {
                change.yield()
            }
            // A command reads and publishes by itself, at its end.
            if turn.isTaken { continue }
            if present != readings.basis { await look() }
            if !turn.isTaken { publish() }
        } while await next.next(isolation: #isolation) != nil
    }

    private func followQueue() async {
        for await _ in processor.updates {
            let pending = processor.pendingActions.filter { !$0.isUndone && $0.action.kind != .restore }
                .map { WaitingDecision(action: $0.action, failure: $0.phase == .failed ? $0.failure : nil) }
            if pending != waiting { waiting = pending }
            // The list of a long review is read again less often than a person decides.
            do { try await clock.sleep(for: Self.queuePause) } catch { return }
        }
    }

    /// The pause between two readings of the waiting decisions.
    private static let queuePause: Duration = .milliseconds(250)

    private func followLibrary() async {
        for await activity in activities {
            switch activity {
            case .scanning:
                library.isScanning = true
                library.problem = await folderProblem()
            case .indexing, .watching:
                library.isScanning = false
                library.problem = await folderProblem()
            case .failed(let error):
                library.isScanning = false
                library.problem = error.code == .notAnswering ? .notAnswering : .gone
                continue
            }
            await model.refresh()
            await look()
            if !turn.isTaken { publish() }
        }
    }

    /// Returns the problem of a folder that was just read. The main actor does not wait for its volume.
    private func folderProblem() async -> LibraryStatus.Problem? {
        do {
            return try await LibraryFolder.isWritable(record) ? nil : .readOnly
        } catch {
            return library.problem
        }
    }

    /// Reads the store again. If that fails, the next change reads it; decisions report the failure themselves.
    func look() async {
        do { try await read() } catch { readings.shown = readings.last }
    }

    /// A picture was sent to a page. Its load may have found the photo's size, or damage.
    func sent(_ photo: PhotoID, _ size: RenditionSize, isDamaged: Bool) async {
        asked(size)
        guard ([chosen, model.currentPhoto].compactMap { $0 } + model.queue).contains(where: { $0.id == photo }),
            reading.known[photo]?.header == nil || (isDamaged && reading.known[photo]?.isDamaged == false)
        else { return }
        await look()
        if !turn.isTaken { publish() }
    }

    /// A page asked for a picture. The model shows the same one, so that nothing is decoded twice.
    func asked(_ size: RenditionSize) {
        guard case .screen = size, size != model.pictureSize else { return }
        model.show(pictures: size)
    }
}
