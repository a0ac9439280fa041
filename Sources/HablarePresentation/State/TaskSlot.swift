/// Owns at most one task of a view model. A new task takes the place of the running one, which is cancelled.
///
/// ```swift
/// private let loading = TaskSlot()
///
/// func show(_ id: Int) { loading.replace { [weak self] in await self?.load(id) } }
/// ```
///
/// The owner of the slot calls ``close()`` in the end, for example when its view disappears.
@MainActor
public final class TaskSlot {
    private var task: Task<Void, Never>?
    private var ending: [Task<Void, Never>] = []
    private var isClosed = false

    /// Creates an empty slot.
    public init() {}

    /// Cancels the running task and starts another one on the main actor. A closed slot starts none.
    public func replace(_ work: @escaping @MainActor () async -> Void) {
        guard !isClosed else { return }
        cancel()
        task = Task { @MainActor in await work() }
    }

    /// Cancels the running task, and does not wait for its end.
    public func cancel() {
        guard let task else { return }
        task.cancel()
        ending.append(task)
        self.task = nil
        // Cancelled tasks end soon. Those that were cancelled long before are over.
        if ending.count > 16 { ending.removeFirst(ending.count - 16) }
    }

    /// Waits until the running task has ended by itself.
    public func finish() async { await task?.value }

    /// Cancels the running task, and waits until it and the tasks that were cancelled last, at most 16, have ended. The
    /// slot starts no task after that. The wait itself cannot be cancelled.
    public func close() async {
        isClosed = true
        cancel()
        for task in ending { await task.value }
        ending = []
    }
}
