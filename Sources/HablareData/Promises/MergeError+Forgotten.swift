import Foundation

extension MergeError.Code {
    /// The merge was promised, and its promise was taken back before it was done
    /// (``AIDataCoordinator/forgetMerge(requestID:into:row:)``). Told by ``MergeEvent/mergeFailed(_:_:)`` alone, where the
    /// merge was announced before.
    public static let forgotten = Self(rawValue: "forgotten")
}

extension MergeError {
    static func forgotten(_ requestID: UUID) -> MergeError {
        MergeError(
            .forgotten, "The promise of the merge was taken back before it was done. Promise it again if it is wanted.",
            requestID: requestID)
    }
}
