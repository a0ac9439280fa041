import Hablare

extension AIServiceError {
    /// The message for somebody at a command line. The engine's own is for who writes an app: it advises what an app can
    /// do, and where that is no command, the command's own words stand in its place.
    var words: String { words(goingOn: "run the same command again") }

    /// The same, where something else than the same command goes on.
    ///
    /// - Parameter goingOn: What to do once there is space, in words.
    func words(goingOn: String) -> String {
        guard let pause = retryAfter?.inSeconds, pause >= 1 else { return sentences(goingOn) }
        return "\(sentences(goingOn)) Wait \(LocalTime.span(pause)) before it is tried again."
    }

    private func sentences(_ goingOn: String) -> String {
        switch code {
        case .responseExpired:
            return "The response is no longer kept. Nothing was called or billed for reading it. " + Self.makingAnew
        case .contentMissing:
            return "A content file of it is gone or damaged: see hablare doctor. " + Self.makingAnew
        case .unknownRequest:
            return "It was removed meanwhile."
        case .storageFull:
            // An app's engine waits for space; a command has ended when this is read.
            return message.replacing(
                "Free some space; what was acknowledged is safe, and work goes on by itself.",
                with: "What was acknowledged is safe. Free some space, then \(goingOn).")
        case .responseTooLarge:
            return message.replacing(
                "raise maximumOutputBytes in its template",
                with: "raise its maximumBytes in programs.json, \(Self.place)")
        case .invalidResponse:
            return message.replacing(
                "look at its template", with: "look at its entry in programs.json, \(Self.place)")
        case .timeout:
            return message.replacing(" sec.", with: " s.")
        default:
            return message
        }
    }

    /// Reading does not make anything anew, nor does retrying what is completed.
    private static let makingAnew =
        "To have it made anew, run the same hablare generate … again; or where it is of hablare narrate, speak, image or "
        + "embed, remove it with hablare rm ID, then run the same command again."
    private static let place = "in $XDG_CONFIG_HOME/hablare or ~/.config/hablare"
}
