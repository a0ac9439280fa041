import Hablare

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A feed that carries the elements of one subscription from a task to the subscriber. It works on the main actor, and
/// delivers an element only if the subscriber has demanded one.
@MainActor
final class PublisherFeed<Output: Sendable> {
    let subject = PassthroughSubject<Output, any Error>()
    private var demand = Subscribers.Demand.none
    private var waiting: CheckedContinuation<Bool, Never>?
    private var isCancelled = false
    private var task: Task<Void, Never>?

    /// Starts to deliver a sequence's elements when the subscriber first demands one.
    ///
    /// The feed reads each element only after it is demanded, because an element that is read earlier could be
    /// outdated. The feed therefore notices the end of the sequence only at the demand after the last element.
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

    /// Starts to produce a single element when the subscriber first demands one. The end follows the element at once.
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

    /// Adds a demand of the subscriber.
    func requested(_ more: Subscribers.Demand) {
        demand += more
        guard demand > .none else { return }
        waiting?.resume(returning: true)
        waiting = nil
    }

    /// Handles a cancellation by the subscriber.
    func cancel() {
        isCancelled = true
        task?.cancel()
        waiting?.resume(returning: false)
        waiting = nil
    }

    /// Waits until the subscriber demands an element. Returns `false` if the subscriber has cancelled.
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
