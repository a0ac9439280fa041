public import Foundation

/// An error of a bridge between async functions and publishers or callbacks: the publisher or callback gave no result.
public enum BridgeError: Error, Sendable, Hashable, LocalizedError {
    /// The publisher finished without a value.
    case finishedWithoutValue
    /// The callback was released without being called.
    case callbackDropped

    /// A description of the error, with advice.
    public var errorDescription: String? {
        switch self {
        case .finishedWithoutValue: "The publisher finished without a value. Expect that, or publish one."
        case .callbackDropped: "The operation ended without calling back. Call back on every way out of it."
        }
    }
}
