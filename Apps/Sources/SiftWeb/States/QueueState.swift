import HablarePresentation

/// The decisions that are not carried out yet.
struct QueueState: WebState, Hashable {
    let pending: Int
    let pendingText: String
    let isWaiting: Bool
    let isBusy: Bool
    let failed: Bool
    let text: String

    /// Describes the queue.
    ///
    /// - Parameters:
    ///   - pending: The number of decisions that wait.
    ///   - isBusy: Whether decisions are being carried out now.
    ///   - failures: The number of decisions that could not be carried out.
    ///   - waitsForReview: Whether decisions wait until the person has reviewed them.
    init(pending: Int, isBusy: Bool, failures: Int, waitsForReview: Bool) {
        self.pending = pending
        pendingText = Wording.number(pending)
        isWaiting = pending > 0
        self.isBusy = isBusy
        failed = failures > 0
        text =
            if failures > 0 {
                "\(Wording.count(failures, "decision")) failed"
            } else if isBusy {
                "Writing \(Wording.count(max(1, pending), "decision"))"
            } else if pending > 0 {
                "\(Wording.count(pending, "decision")) \(pending == 1 ? "waits" : "wait")"
                    + (waitsForReview ? " for your review" : "")
            } else {
                "All decisions are written"
            }
    }
}
