import Dispatch

/// Tells whether code runs on the main queue, which the main actor runs on: on Linux that is no certain thread.
package enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether the caller runs on the main queue.
    package static var isCurrent: Bool {
        mark
        return DispatchQueue.getSpecific(key: key) ?? false
    }
}
