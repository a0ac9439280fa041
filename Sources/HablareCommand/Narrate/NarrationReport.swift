import Foundation
import Hablare
import HablareAudio

/// What a person, or a program, is told at the end of a narration.
struct NarrationReport: Sendable {
    let plan: NarrationPlan
    let files: NarrationFiles
    let ended: JobEnd<JoinedAudio?>

    /// The audio; `nil` while segments are missing.
    var audio: JoinedAudio? { ended.value.flatMap(\.self) }

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        if json { return try await console.print(JSONText.of(object)) }
        guard !quiet, let audio else { return }
        try await console.print(summary(audio.properties.seconds, console.outputStyle), isStyled: true)
    }

    private var object: JSONObject {
        var object = ended.object
        object.set("output", audio?.url.path)
        object.set("timeline", audio == nil ? nil : files.timeline.path)
        object.set("characters", plan.characters)
        object.set("audioSeconds", audio?.properties.seconds)
        object.set("segmentsPerSecond", ended.progress.rate.map { ($0 * 100).rounded() / 100 })
        return object
    }

    private func summary(_ seconds: Double, _ style: Style) -> String {
        let progress = ended.progress
        var segments = TimeText.count(plan.segments.count, "segment")
        if progress.made == 0 {
            segments += ", all made before"
        } else {
            if progress.reused > 0 { segments += " (\(progress.reused) made before)" }
            if let rate = TimeText.rate(progress.rate) { segments += ", \(rate) segments a second" }
        }
        return """
            \(style.bold(files.output.path))
            \(TimeText.clock(seconds)) of audio, \(segments), in \(TimeText.length(progress.elapsed))
            What is heard when: \(style.plain(files.timeline.path))
            """
    }
}
