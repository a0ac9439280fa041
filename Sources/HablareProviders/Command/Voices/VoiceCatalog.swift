#if os(macOS) || os(Linux)
import Foundation
import Hablare

/// A cache of a program's voices. It asks the program once.
///
/// The cache keeps the voices as long as the provider exists. If a voice is installed later, it is known only after a
/// restart.
actor VoiceCatalog {
    private let source: CommandVoiceSource
    private var known: VoiceList?

    /// Creates an empty catalogue.
    init(_ source: CommandVoiceSource) {
        self.source = source
    }

    /// Returns the voices. If several callers ask before the first answer, each of them runs the program. This is
    /// harmless.
    ///
    /// - Parameter print: A closure that runs the program with arguments and returns its output.
    /// - Returns: The voices.
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
