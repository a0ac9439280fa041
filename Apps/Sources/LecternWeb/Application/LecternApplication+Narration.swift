import Hablare
public import LecternCore
import LecternTexts

extension LecternApplication {
    /// The narrator of the installed voices.
    public var narrator: ChapterNarrator { narration.narrator }

    /// Runs the engine while a closure runs. The closure narrates or exports with a voice.
    ///
    /// - Throws: The error of the closure. `AIServiceError` if the engine cannot start.
    public func narrating<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await EngineService.run(narration.manager, while: body)
    }

    /// Returns a voice for a text.
    ///
    /// - Parameters:
    ///   - id: The id, such as `espeak-ng/en-gb`. `nil` for the usual voice of the text's language.
    ///   - text: The text.
    /// - Throws: `AIServiceError` with code `providerNotFound` if there is no such voice.
    public func voice(_ id: String?, for text: StoredText) async throws -> NarrationVoice {
        guard let id else { return ListeningDesk.voice(for: text.description.language) }
        let listing = try await narration.voices.voices()
        if let voice = listing.voices.first(where: { $0.id == id }) { return voice }
        let near = try await narration.voices.voices(language: text.description.language).voices.prefix(5).map(\.id)
        throw AIServiceError(
            .providerNotFound,
            "There is no voice '\(id)'. "
                + (near.isEmpty
                    ? "Install a voice, such as Debian's package espeak-ng."
                    : "Some that read this text are \(near.joined(separator: ", "))."))
    }
}
