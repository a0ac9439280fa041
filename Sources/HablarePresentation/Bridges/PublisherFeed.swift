import Hablare

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// What carries the elements of one subscription from a task to its subscriber, on the main actor: no faster than they are asked
/// for.
@MainActor
final class PublisherFeed<Output: Sendable> {
    let subject = PassthroughSubject<Output, any Error>()
    private var demand = Subscribers.Demand.none
    private var waiting: CheckedContinuation<Bool, Never>?
    private var isCancelled = false
    private var task: Task<Void, Never>?

    /// Begins to carry elements, once somebody asks for one.
    func start<Elements: AsyncSequence>(
        _ spawner: TaskSpawner, _ elements: @escaping @Sendable @concurrent () async throws -> sending Elements
    ) where Elements.Element == Output, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
        task = spawner.start {
            guard await self.isWanted() else { return }
            do {
                for try await element in try await elements() {
                    guard await self.isWanted() else { return }
                    await self.send(element)
                }
                await self.end(.finished)
            } catch {
                await self.end(.failure(error))
            }
        }
    }

    /// The subscriber asks for more.
    func requested(_ more: Subscribers.Demand) {
        demand += more
        guard demand > .none else { return }
        waiting?.resume(returning: true)
        waiting = nil
    }

    /// The subscriber left.
    func cancel() {
        isCancelled = true
        task?.cancel()
        waiting?.resume(returning: false)
        waiting = nil
    }

    /// Waits until an element is asked for; not where the subscriber left.
    private func isWanted() async -> Bool {
        guard !isCancelled else { return false }
        guard demand == .none else { return true }
        return await withCheckedContinuation { waiting = $0 }
    }

    private func send(_ element: Output) {
        guard !isCancelled else { return }
        demand -= 1
        subject.send(element)
    }

    private func end(_ completion: Subscribers.Completion<any Error>) {
        task = nil
        if !isCancelled { subject.send(completion: completion) }
    }
}
