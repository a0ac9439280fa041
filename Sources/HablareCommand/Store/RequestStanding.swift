import Hablare

/// A request as it stands at this moment, also where it takes more than its row to know.
struct RequestStanding: Sendable {
    /// What its row says, and why it waits.
    var snapshot: RequestSnapshot
    /// Whether it was executing when its process ended, and no other has taken it up since.
    var isInterrupted = false

    /// The word for its state: the phase, or `interrupted`.
    var state: String { isInterrupted ? StateOption.interrupted.rawValue : snapshot.phase.rawValue }

    /// What an interrupted request comes to.
    static func interruption(of request: AIRequest, work: String) -> String {
        if request.unknownOutcome == .hold {
            return "its process ended, and nobody knows whether its attempt was carried out, and billed: "
                + "it is held as soon as anything runs on this store, such as \(work)"
        }
        if let streaming = request.streaming, !streaming.allowsRestart {
            return "its process ended; as soon as anything runs on this store, such as \(work), it fails if "
                + "its answer had begun to stream, and is made again if not"
        }
        return "its process ended; it goes on with: \(work)"
    }
}
