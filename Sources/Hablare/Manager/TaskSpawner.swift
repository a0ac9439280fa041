/// The one place where the engine starts unstructured tasks, so that a simulation can run all of them.
///
/// Whoever starts a task owns it: keeps the handle, cancels it, awaits it.
package struct TaskSpawner: Sendable {
    package let executor: (any TaskExecutor)?

    package init(executor: (any TaskExecutor)?) {
        self.executor = executor
    }

    /// Starts a task. It does not inherit the caller's isolation.
    package func start(_ operation: @escaping @Sendable @concurrent () async -> Void) -> Task<Void, Never> {
        // Without a preference nothing has to be noted in the task that it has none.
        guard let executor else { return Task(operation: operation) }
        return Task(executorPreference: executor, operation: operation)
    }
}
