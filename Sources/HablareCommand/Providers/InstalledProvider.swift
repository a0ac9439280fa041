import Hablare
import HablareProviders

/// A provider, with the facts that the command line needs and that the engine's interface does not have.
struct InstalledProvider: Sendable {
    struct Health: Sendable, Hashable {
        var executable: String?
        var problem: AIServiceError?
        var advice: [String] = []
    }

    struct ServiceSound: Sendable {
        let formats: [String]
        /// Whether the service accepts the text before and after a segment (`previous_text`, `next_text`), so that the
        /// speech flows naturally.
        let takesContext: Bool
        let audio: @Sendable (_ format: String) -> AudioFormat?
    }

    struct ServiceVoices: Sendable {
        let usual: String
        /// Returns all known voices. If `refresh` is `true`, requests the list from the service even if a list is
        /// cached.
        let list: @Sendable (_ refresh: Bool) async throws -> [SpeechVoice]
        let check: @Sendable (String) async throws -> Void
        var sound: ServiceSound?
    }

    let provider: any AIServiceProvider
    /// The service of the provider; `nil` for a program.
    var service: String?
    /// The content of the provider's answers; `nil` if only their kind is known.
    var content: CommandContent?
    /// Whether the user's own `programs.json` names the program. If such a program is missing, this is a problem.
    var isOwn = false
    /// Whether the provider is a program that transcribes recordings.
    var hears = false
    var hasPrice = true
    /// Whether the thinking of earlier answers is sent back with a conversation.
    var takesThinking = false
    var placeholders: [CommandPlaceholder] = []
    var voices: @Sendable () async throws -> [CommandVoice] = { [] }
    /// The quality of the provider's voices if all have the same quality, such as `neural`; `nil` if it is unknown.
    var voiceQuality: String?
    var checkVoice: @Sendable (String) async throws -> Void = { _ in }
    /// The voices of a service that speaks.
    var serviceVoices: ServiceVoices?
    var problem: CommandFailure?
    var health: @Sendable () async -> Health = { Health() }

    var name: String { provider.id.rawValue }

    /// The kind of the provider, under which a price table may have its prices; `nil` if its instance has none.
    var kind: String? {
        provider.instance.rawValue.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
    }

    var defaultVoice: String? { serviceVoices?.usual ?? placeholders.first { $0.name == "voice" }?.default }

    var model: String? { provider.defaultModel.flatMap { $0.isEmpty ? nil : $0 } }

    /// The model that the provider's requests name, so that another process uses the same model. `nil` for a program.
    var askedModel: String? { service == nil ? nil : model }

    func check(voice: String) async throws {
        do {
            try await checkVoice(voice)
        } catch let error as AIServiceError where error.code == .invalidRequest {
            throw CommandFailure(error).advising("To list its voices: hablare voices --provider \(provider.id)")
        }
    }
}

extension InstalledProvider {
    init(
        serving service: String, _ provider: any AIServiceProvider, isCharged: Bool = true,
        voices: ServiceVoices? = nil, problem: CommandFailure? = nil
    ) {
        self.init(
            provider: provider, service: service, content: provider.responseType == .text ? .text : nil,
            hasPrice: isCharged, serviceVoices: voices, problem: problem)
        if let voices { checkVoice = voices.check }
    }
}

extension [InstalledProvider] {
    var programNames: [String] { filter { $0.kind == PriceTable.programKind }.map(\.name) }

    func registry() throws -> ProviderRegistry {
        try ProviderRegistry(map(\.provider))
    }
}

/// The known providers: the programs and the configured services, even if they cannot be called now.
struct KnownProviders: Sendable {
    private let kinds: [(provider: String, kind: String?)]

    init(programs: [InstalledProvider], services: [ServiceSettings]) {
        let offered = services.flatMap { service in
            service.offers.map { ($0.id(of: service.name), service.kind.rawValue as String?) }
                + service.batchIDs.map { (AddressedName.provider(of: $0.rawValue), "\(service.kind.rawValue)-batch") }
        }
        kinds = programs.map { ($0.name, $0.kind) } + offered
    }

    var providers: [String] { kinds.map(\.provider) }

    /// Returns the names under which a price table may have a provider: its id and, if known, its kind.
    func names(of provider: String) -> [String] {
        [provider] + [kind(of: provider)].compactMap(\.self)
    }

    /// Whether there is a provider with a name, which may include an address.
    func has(_ provider: String) -> Bool {
        let provider = AddressedName.provider(of: provider)
        return kinds.contains { $0.provider == provider }
    }

    func isPayee(_ name: String) -> Bool { has(name) || kinds.contains { $0.kind == name } }

    func isProgram(_ provider: String) -> Bool { kind(of: provider) == PriceTable.programKind }

    /// Returns the kind of a provider. If the provider has an address that the user chose, the kind is its service's
    /// kind.
    private func kind(of provider: String) -> String? {
        let provider = AddressedName.provider(of: provider)
        return kinds.first { $0.provider == provider }?.kind
    }
}
