package import Foundation

/// What is worth a wait again that had ended without an outcome that can be used.
package enum Revival: Sendable, Hashable {
    /// A failed or cancelled request is tried again.
    case request(UUID)
    /// Waits that the engine's rest or end had broken off may be begun anew.
    case engine
}
