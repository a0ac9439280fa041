#if os(macOS) || os(Linux)
import Foundation
import Hablare

/// Asks a program for its voices, once.
///
/// What it said is kept as long as the provider: a voice that is installed later is known after a restart.
actor VoiceCatalog {
    private let source: CommandVoiceSource
    private var known: VoiceList?

    /// Creates a catalogue that knows nothing yet.
    init(_ source: CommandVoiceSource) {
        self.source = source
    }

    /// The voices. Callers that come before the first answer each ask for themselves, which does no harm.
    ///
    /// - Parameter print: Runs the program with some arguments and gives what it printed.
    /// - Returns: What it has.
    /// - Throws: The error of `print`.
    func list(
        _ print: @Sendable ([String]) async throws(AIServiceError) -> String
    ) async throws(AIServiceError) -> VoiceList {
        if let known { return known }
        var listings: [String] = []
        for arguments in source.listing { listings.append(try await print(arguments)) }
        let list = VoiceList(source, listings: listings)
        known = list
        return list
    }
}
#endif
