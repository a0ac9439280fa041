/// The task priority of visible loads. It is the system's priority for work that a user has started and waits for.
///
/// A task's priority can be raised, but not lowered. A task therefore keeps its raised priority after its visible
/// caller has left.
enum VisibleWork {
    private static let priority = TaskPriority.userInitiated

    /// Raises the priority of a task. Also runs code of other modules: the escalation handlers of the task.
    static func hurry(_ task: Task<Void, Never>) {
        // On earlier systems a task keeps the priority of the code that started it.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        }
    }
}
