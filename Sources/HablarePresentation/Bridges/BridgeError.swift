public import Foundation

/// Why there is nothing on the other side of a bridge between callbacks, publishers and async functions.
public enum BridgeError: Error, Sendable, Hashable, LocalizedError {
    /// The publisher finished without a value.
    case finishedWithoutValue
    /// The callback was thrown away without being called.
    case callbackDropped

    /// What to do about it.
    public var errorDescription: String? {
        switch self {
        case .finishedWithoutValue: "The publisher finished without a value. Expect that, or publish one."
        case .callbackDropped: "The operation ended without calling back. Call back on every way out of it."
        }
    }
}
