import HablareAudio

/// What came of a narration's run to its end.
struct NarrationOutcome: Sendable {
    /// The segments without audio, in their order.
    var gaps: [JobGap] = []
    /// The audio; `nil` when segments are missing.
    var audio: JoinedAudio?
}
