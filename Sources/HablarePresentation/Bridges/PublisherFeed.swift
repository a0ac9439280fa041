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

    /// Begins to carry elements, once somebody asks for one. Each is taken when it is asked for: what is taken ahead may be old
    /// when it is wanted. So it is when one more is asked for that the end is found.
    func start<Elements: AsyncSequence>(
        _ spawner: TaskSpawner, _ elements: @escaping @Sendable @concurrent () async throws -> sending Elements
    ) where Elements.Element == Output, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
        task = spawner.start {
            guard await self.isWanted() else { return }
            do {
                var iterator = try await elements().makeAsyncIterator()
                while await self.isWanted(), let element = try await iterator.next() { await self.send(element) }
                await self.end(.finished)
            } catch {
                await self.end(.failure(error))
            }
        }
    }

    /// Begins to bring one element, once somebody asks for it. The end comes with it.
    func start(_ spawner: TaskSpawner, _ operation: @escaping @Sendable @concurrent () async throws -> Output) {
        task = spawner.start {
            guard await self.isWanted() else { return }
            do {
                await self.send(try await operation())
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
