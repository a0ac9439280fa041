import Dispatch

/// Detects whether code runs on the main queue, on which the main actor runs. The thread cannot be checked instead,
/// because on Linux the main queue has no fixed thread.
package enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether the caller runs on the main queue.
    package static var isCurrent: Bool {
        mark
        return DispatchQueue.getSpecific(key: key) ?? false
    }
}
