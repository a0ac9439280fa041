import Foundation
public import Hablare
public import HablareProviders

/// A provider that can read chapters aloud, and its list of voices.
public struct VoiceSource: Sendable {
    /// The provider.
    public var provider: ProviderID
    /// Returns the voices.
    public var list: @Sendable () async throws -> [NarrationVoice]

    /// Creates a source.
    public init(_ provider: ProviderID, list: @escaping @Sendable () async throws -> [NarrationVoice]) {
        self.provider = provider
        self.list = list
    }

    #if os(macOS) || os(Linux)
    /// The voices of a program, such as espeak-ng or hibari.
    public static func program(_ provider: CommandProvider) -> VoiceSource {
        VoiceSource(provider.id) {
            try await provider.voices().map { voice in
                NarrationVoice(
                    provider: provider.id, voice: voice.id, name: voice.id,
                    languages: voice.language.map { [$0] } ?? [], gender: voice.gender?.rawValue)
            }
        }
    }
    #endif

    /// The voices of OpenAI. They speak every language.
    public static func openAI(_ provider: OpenAISpeechProvider) -> VoiceSource {
        VoiceSource(provider.id) {
            OpenAISpeechProvider.voices.map { voice in
                NarrationVoice(
                    provider: provider.id, voice: voice, name: voice.capitalized, isPaid: true,
                    parameters: ["format": "wav"])
            }
        }
    }

    /// The voices that an ElevenLabs account may use.
    public static func elevenLabs(_ provider: ElevenLabsSpeechProvider, _ service: ElevenLabsService) -> VoiceSource {
        VoiceSource(provider.id) {
            try await service.voices().map { voice in
                NarrationVoice(
                    provider: provider.id, voice: voice.id, name: voice.name, languages: voice.languages,
                    gender: voice.gender, isPaid: true, parameters: ["format": "wav"])
            }
        }
    }
}

/// The voices of all providers that are installed or have a key.
public struct VoiceDirectory: Sendable {
    /// Voices, and the providers whose voices could not be listed.
    public struct Listing: Sendable, Hashable {
        /// The voices, in the order of the sources.
        public var voices: [NarrationVoice] = []
        /// The advice for each provider that could not list its voices.
        public var problems: [ProviderID: String] = [:]
    }

    private let sources: [VoiceSource]

    /// Creates a directory. The first source is the default.
    public init(_ sources: [VoiceSource]) { self.sources = sources }

    /// Returns the voices of a language and a gender. A voice without languages speaks all of them.
    ///
    /// - Parameters:
    ///   - language: A language tag. `en` also finds `en-US`. Default: any.
    ///   - gender: Such as `female`. Default: any.
    public func voices(language: String? = nil, gender: String? = nil) async throws -> Listing {
        var listing = Listing()
        for source in sources {
            do {
                listing.voices += try await source.list().filter {
                    Self.speaks($0, language) && (gender == nil || gender?.lowercased() == $0.gender?.lowercased())
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                listing.problems[source.provider] = (error as? AIServiceError)?.message ?? String(describing: error)
            }
        }
        return listing
    }

    private static func speaks(_ voice: NarrationVoice, _ language: String?) -> Bool {
        guard let language, !voice.languages.isEmpty else { return true }
        let filter = SpeechVoiceFilter(language: language)
        return filter.accepts(SpeechVoice(id: voice.id, name: voice.name, languages: voice.languages))
    }
}
