import Foundation
import Hablare
import HablareAudio

/// Puts the audio of a narration together once its segments have it.
struct NarrationRun: Sendable {
    let plan: NarrationPlan
    let files: NarrationFiles
    /// Where the store is, for advice.
    let data: DataOptions

    /// Joins the audio, after any other process that is just doing the same; nothing where segments have none.
    func finish(_ ids: [UUID], _ gaps: [JobGap], by manager: AIRequestManager, _ clock: EngineClock) async throws
        -> NarrationOutcome
    {
        guard gaps.isEmpty else { return NarrationOutcome(gaps: gaps) }
        while true {
            do {
                let join = NarrationJoin(plan: plan, files: files, manager: manager, data: data)
                return NarrationOutcome(audio: try await join.run(ids))
            } catch let error as AudioError where error.code == .busy {
                try await clock.sleep(for: .milliseconds(200))
            }
        }
    }
}

extension AudioSource {
    /// How long a response is to be heard, in seconds; 0 when it cannot be, which joining will say.
    @concurrent static func seconds(of response: AIResponseData) async -> Double {
        do {
            guard let source = try AudioSource(response) else { return 0 }
            return try AudioInspector().properties(of: source).seconds
        } catch {
            return 0
        }
    }
}
