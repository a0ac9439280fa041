import Foundation
import Hablare
import HablareAudio

/// What came of a narration's run to its end.
struct NarrationOutcome: Sendable {
    /// A segment that has no audio.
    struct Failure: Sendable, Hashable {
        let segment: Int
        let request: UUID
        /// Why; `nil` when it was cancelled.
        let error: AIServiceError?
    }

    /// The segments without audio, in their order.
    var failures: [Failure] = []
    /// The audio; `nil` when segments are missing.
    var audio: JoinedAudio?
}
