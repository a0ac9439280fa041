import Hablare
import HablareProviders

extension InstalledProvider {
    /// The parameter that has it speak at a speed, 1 being its normal one.
    func speed(_ speed: Double?) throws -> (option: String, name: String, value: ParameterValue?) {
        guard let speed else { return ("--speed", "speed", nil) }
        if service != nil || takes("speed") { return ("--speed", "speed", .double(speed)) }
        if takes("rate") {
            return ("--speed", "rate", .int(Int64((NarrationPlan.normalRate * speed).rounded())))
        }
        // Piper's: how long it takes.
        if takes("length") { return ("--speed", "length", .double(1 / speed)) }
        throw CommandFailure(.usage, "The provider \(name) has one speed only. Leave --speed out.")
    }

    private func takes(_ name: String) -> Bool { placeholders.contains { $0.name == name } }

    /// Refuses a voice that there is not, before anything is asked that costs money.
    ///
    /// - Parameter isGiven: Whether the command line says the voice. The one that a program speaks with unless told
    ///   otherwise is its own affair; a service's may be in the settings.
    func checkSpeaker(of parameters: [String: ParameterValue], isGiven: Bool) async throws {
        guard let voice = parameters["voice"]?.text, isGiven || service != nil else { return }
        try await check(voice: voice)
    }
}
