import Hablare
import HablareProviders

/// A provider, with what the command line needs beyond the engine's interface.
struct InstalledProvider: Sendable {
    struct Health: Sendable, Hashable {
        var executable: String?
        var problem: AIServiceError?
        var advice: [String] = []
    }

    struct ServiceSound: Sendable {
        let formats: [String]
        /// Whether the service speaks a text better with its surroundings (`previous_text`, `next_text`).
        let takesContext: Bool
        let audio: @Sendable (_ format: String) -> AudioFormat?
    }

    struct ServiceVoices: Sendable {
        let usual: String
        /// Returns all known voices. `true` asks the service even if a list is cached.
        let list: @Sendable (_ refresh: Bool) async throws -> [SpeechVoice]
        let check: @Sendable (String) async throws -> Void
        var sound: ServiceSound?
    }

    let provider: any AIServiceProvider
    /// The service of the provider; `nil` for a program.
    var service: String?
    /// The content of its answers; `nil` if only their kind is known.
    var content: CommandContent?
    /// Whether the user's own `programs.json` names it. Its absence is then a problem.
    var isOwn = false
    /// Whether it is a program that transcribes recordings.
    var hears = false
    var hasPrice = true
    /// Whether the thinking of earlier answers is sent back with a conversation.
    var takesThinking = false
    var placeholders: [CommandPlaceholder] = []
    var voices: @Sendable () async throws -> [CommandVoice] = { [] }
    /// The quality of its voices if all are alike, such as `neural`; `nil` if it is unknown.
    var voiceQuality: String?
    var checkVoice: @Sendable (String) async throws -> Void = { _ in }
    /// The voices of a service that speaks.
    var serviceVoices: ServiceVoices?
    var problem: CommandFailure?
    var health: @Sendable () async -> Health = { Health() }

    var name: String { provider.id.rawValue }

    /// The kind by which a price table may name the provider, from its instance; `nil` if the instance has none.
    var kind: String? {
        provider.instance.rawValue.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
    }

    var defaultVoice: String? { serviceVoices?.usual ?? placeholders.first { $0.name == "voice" }?.default }

    var model: String? { provider.defaultModel.flatMap { $0.isEmpty ? nil : $0 } }

    /// The model that its requests name, so that another process asks the same one. A program has none.
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

/// The known providers: the programs and the configured services, whether or not they can be asked now. Pure.
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

    /// Returns the names by which a price table may call a provider: its id and, if known, its kind.
    func names(of provider: String) -> [String] {
        [provider] + [kind(of: provider)].compactMap(\.self)
    }

    /// Whether there is a provider of a name, which may include an address.
    func has(_ provider: String) -> Bool {
        let provider = AddressedName.provider(of: provider)
        return kinds.contains { $0.provider == provider }
    }

    func isPayee(_ name: String) -> Bool { has(name) || kinds.contains { $0.kind == name } }

    func isProgram(_ provider: String) -> Bool { kind(of: provider) == PriceTable.programKind }

    /// Returns the kind of a provider. At an address of its own it has its service's kind.
    private func kind(of provider: String) -> String? {
        let provider = AddressedName.provider(of: provider)
        return kinds.first { $0.provider == provider }?.kind
    }
}
