/// Starts all unstructured tasks of the engine. A simulation can therefore run all of them itself.
///
/// The code that starts a task owns the task: it keeps the task's handle, cancels the task and awaits it.
package struct TaskSpawner: Sendable {
    package let executor: (any TaskExecutor)?

    package init(executor: (any TaskExecutor)?) {
        self.executor = executor
    }

    /// Starts a task. The task does not inherit the caller's isolation.
    package func start(_ operation: @escaping @Sendable @concurrent () async -> Void) -> Task<Void, Never> {
        // Without a preference, the task does not need to store that it has none.
        guard let executor else { return Task(operation: operation) }
        return Task(executorPreference: executor, operation: operation)
    }
}
