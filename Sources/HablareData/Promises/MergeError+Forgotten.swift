import Foundation

extension MergeError.Code {
    /// The promise of the merge was withdrawn before the merge was done
    /// (``AIDataCoordinator/forgetMerge(requestID:into:row:)``). Only the event ``MergeEvent/mergeFailed(_:_:)`` has
    /// this code, and only for a merge that an earlier ``MergeEvent/willMerge(_:)`` announced.
    public static let forgotten = Self(rawValue: "forgotten")
}

extension MergeError {
    static func forgotten(_ requestID: UUID) -> MergeError {
        MergeError(
            .forgotten,
            "The promise of the merge was withdrawn before the merge was done. If you need the merge, promise it again.",
            requestID: requestID)
    }
}
