/// How urgent a load is at whose place somebody looks: as what a user has begun and waits for.
///
/// A task can be hurried, and not slowed down: what it has begun for somebody who has left since goes on as it is.
enum VisibleWork {
    private static let priority = TaskPriority.userInitiated

    /// Hurries a task, whose handlers of that are code of others.
    static func hurry(_ task: Task<Void, Never>) {
        // Before that, a task keeps the priority of whoever has begun it.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        }
    }
}
