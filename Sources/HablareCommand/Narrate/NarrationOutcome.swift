import Foundation
import Hablare
import HablareAudio

/// What came of a narration's run to its end.
struct NarrationOutcome: Sendable {
    /// A segment that has no audio.
    struct Gap: Sendable, Hashable {
        /// Why it has none.
        enum Reason: Sendable, Hashable {
            /// Its last attempt failed.
            case failed(AIServiceError)
            /// Somebody cancelled it.
            case cancelled
            /// Nobody knows whether its last attempt was carried out, and billed.
            case held
        }

        let segment: Int
        let request: UUID
        let reason: Reason
    }

    /// The segments without audio, in their order.
    var gaps: [Gap] = []
    /// The audio; `nil` when segments are missing.
    var audio: JoinedAudio?

    /// The segments that failed, with their errors.
    var failures: [(gap: Gap, error: AIServiceError)] {
        gaps.compactMap { gap in
            guard case .failed(let error) = gap.reason else { return nil }
            return (gap, error)
        }
    }

    /// The segments that somebody cancelled.
    var cancelled: [Gap] { gaps.filter { $0.reason == .cancelled } }
    /// The segments that wait for somebody's word.
    var held: [Gap] { gaps.filter { $0.reason == .held } }
}
