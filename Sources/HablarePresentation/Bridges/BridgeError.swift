public import Foundation

/// An error of a bridge between callbacks, publishers and async functions: the bridge received no result.
public enum BridgeError: Error, Sendable, Hashable, LocalizedError {
    /// The publisher finished without a value.
    case finishedWithoutValue
    /// The callback was released without being called.
    case callbackDropped

    /// The advice for the error.
    public var errorDescription: String? {
        switch self {
        case .finishedWithoutValue: "The publisher finished without a value. Expect that, or publish one."
        case .callbackDropped: "The operation ended without calling back. Call back on every way out of it."
        }
    }
}
