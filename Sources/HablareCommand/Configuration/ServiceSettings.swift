import Hablare
import HablareProviders

struct ServiceSettings: Sendable, Equatable {
    let name: String
    let kind: ServiceKind
    /// The preset of a known service: its address, its key and its differences from OpenAI. `nil` if the service has
    /// none.
    let preset: OpenAIPreset?
    /// The service's differences from OpenAI; `nil` if they depend only on the address.
    var compatibility: OpenAICompatibility?
    /// Further secret headers of the service's calls. Each header's name is in lower case, and its value here is the
    /// name of a stored key.
    var secretHeaders: [String: String] = [:]
    /// The address, as the user wrote it. Default: the address of the vendor whose API the service has.
    var address: String
    /// The problem with ``address``. It is reported only when the service is called.
    var addressProblem: CommandFailure?
    /// The models, by the name of the setting that sets them, such as `speech_model`. Default: the provider's default.
    var models: [String: String] = [:]
    var voice: String?
    var interface = TextInterface.chat
    /// Whether requests with a long deadline may wait for a batch. `nil`: only if the address is the vendor's own.
    var batches: Bool?
    var needsKey = true
    var isEnabled = true
    var concurrency = 4
    /// The maximum number of calls a minute. `nil`: only the service's own limit applies.
    var rate: Double?
    /// The maximum duration of an attempt. For a stream, the maximum time in which nothing arrives.
    var timeout = Duration.seconds(120)
    /// Additional headers of the service's calls, by lowercase names. They are not secret, but they may name an
    /// account.
    var headers: [String: String] = [:]
    var fallback: [String] = []
    /// The address that replaces the configured address; `nil` to use the configured address.
    private(set) var overrideAddress: ServiceAddress?
    private(set) var takesKey = true
    /// Whether the configuration of the service requires a key. The value stays `true` in settings that only inspect
    /// the service.
    private(set) var isKeyed = false

    init(_ name: String, _ kind: ServiceKind, _ preset: OpenAIPreset? = nil) {
        self.name = name
        self.kind = kind
        self.preset = preset
        address = preset?.address ?? kind.address
        guard let preset else { return }
        compatibility = preset.compatibility
        needsKey = preset.needsKey
        if preset.needsAddress {
            addressProblem = CommandFailure(
                .unavailable,
                "\(name) has an address of your own. Set services.\(name).base_url to \(preset.address)")
        }
    }

    /// The services that exist without a configuration: those of the service kinds, and the presets.
    static let builtIn =
        ServiceKind.allCases.map { ServiceSettings($0.rawValue, $0) }
        + OpenAIPreset.all.map { ServiceSettings($0.id, .openai, $0) }

    /// Whether the service is a preset for which nothing is configured.
    var isBare: Bool { preset?.id == name && models.isEmpty && address == preset?.address }

    /// The APIs that the service has.
    var offers: [ServiceOffer] {
        guard let preset else { return kind.offers }
        return kind.offers.filter { preset.offers.contains($0.api) }
    }

    /// The name of the service for use in a sentence; `nil` for a service that only the user's configuration defines.
    var title: String? { preset?.title }
}

extension ServiceSettings {
    /// Returns the service at another address. If this address has the configured origin (scheme, host and port), the
    /// key and the headers are kept. Otherwise they are removed.
    func relocated(at address: ServiceAddress) -> ServiceSettings {
        var relocated = self
        if !hasOrigin(of: address) {
            relocated = unasked
            relocated.isKeyed = false
            relocated.batches = nil
            relocated.headers = [:]
            relocated.secretHeaders = [:]
        }
        relocated.overrideAddress = address
        relocated.address = address.text
        relocated.addressProblem = nil
        return relocated
    }

    /// A copy for a command that only inspects the service. The service's key is not looked up.
    var unasked: ServiceSettings {
        var unasked = self
        unasked.isKeyed = isKeyed || needsKey
        (unasked.takesKey, unasked.needsKey) = (false, false)
        return unasked
    }

    private func hasOrigin(of other: ServiceAddress) -> Bool {
        addressProblem == nil && ServiceAddress.read(address).value?.origin == other.origin
    }

    /// The service's name. If the address is not the configured address, the name is followed by the address. It
    /// identifies the account whose limits apply.
    var addressedName: String { Self.name(name, at: overrideAddress) }

    func id(of offer: ServiceOffer) -> ProviderID {
        ProviderID(rawValue: Self.name(offer.id(of: name), at: overrideAddress))
    }

    private static func name(_ name: String, at overrideAddress: ServiceAddress?) -> String {
        overrideAddress.map { AddressedName(provider: name, address: $0).text } ?? name
    }

    /// Returns the reason why no key may be sent to an address: others on the network could read the key. Returns `nil`
    /// if a key may be sent.
    func exposure(at address: ServiceAddress) -> AIServiceError? {
        guard address.origin.scheme == "http", !address.origin.isLoopback else { return nil }
        return AIServiceError(
            .invalidConfiguration,
            """
            The key of \(name) is not sent to \(address.origin.text), because plain http to another machine is not \
            safe. Use an https address. If the server needs no key, set services.\(name).needs_key to false, and \
            delete the key: hablare keys delete \(name)
            """)
    }
}

enum ServiceKind: String, Sendable, Hashable, CaseIterable {
    case openai, anthropic, elevenlabs

    var address: String {
        switch self {
        case .openai: "https://api.openai.com/v1"
        case .anthropic: "https://api.anthropic.com"
        case .elevenlabs: "https://api.elevenlabs.io"
        }
    }
}

enum TextInterface: String, Sendable, Hashable, CaseIterable {
    case chat, responses
}

struct ServiceOffer: Sendable, Hashable {
    /// The suffix after the service's name in the provider's id; `nil` for the provider whose id is only the service's
    /// name.
    let variant: String?
    let answers: ContentType
    let modelKey: String
    /// Whether the provider receives recordings and transcribes them.
    var hears = false

    /// The API of a preset through which this provider is offered.
    var api: OpenAIPreset.Offer {
        switch modelKey {
        case "speech_model": .speech
        case "image_model": .image
        case "embedding_model": .embedding
        case "transcription_model": .transcription
        default: .text
        }
    }

    func id(of service: String) -> String { variant.map { "\(service).\($0)" } ?? service }

    func model(in settings: ServiceSettings) -> String? { settings.models[modelKey] }
}

extension ServiceOffer {
    /// The kind of the provider's models.
    var kind: ModelInformation.Kind {
        switch modelKey {
        case "speech_model": .speech
        case "image_model": .image
        case "embedding_model": .embedding
        case "transcription_model": .transcription
        default: .text
        }
    }
}

extension ServiceKind {
    /// Returns whether an address is the vendor's own. Another server with the same API has another address.
    func isOwn(_ address: ServiceAddress) -> Bool {
        ServiceAddress.read(self.address).value?.origin == address.origin
    }
}

extension ServiceKind {
    var offers: [ServiceOffer] {
        switch self {
        case .openai:
            [
                ServiceOffer(variant: nil, answers: .text, modelKey: "model"),
                ServiceOffer(variant: "structured", answers: .structured, modelKey: "model"),
                ServiceOffer(variant: "speech", answers: .audio, modelKey: "speech_model"),
                ServiceOffer(variant: "image", answers: .image, modelKey: "image_model"),
                ServiceOffer(variant: "embedding", answers: .embedding, modelKey: "embedding_model"),
                ServiceOffer(variant: "transcription", answers: .text, modelKey: "transcription_model", hears: true),
            ]
        case .anthropic:
            [
                ServiceOffer(variant: nil, answers: .text, modelKey: "model"),
                ServiceOffer(variant: "structured", answers: .structured, modelKey: "model"),
            ]
        case .elevenlabs:
            [
                ServiceOffer(variant: nil, answers: .audio, modelKey: "speech_model"),
                ServiceOffer(variant: "transcription", answers: .text, modelKey: "transcription_model", hears: true),
            ]
        }
    }

    /// The settings that services of this kind do not have. They are refused, because otherwise they would be silently
    /// ignored.
    var missingKeys: [String] {
        switch self {
        case .openai: []
        case .anthropic:
            ["speech_model", "image_model", "embedding_model", "transcription_model", "voice", "api"] + Self.openAIAlone
        case .elevenlabs: ["model", "image_model", "embedding_model", "api", "batches"] + Self.openAIAlone
        }
    }

    private static let openAIAlone = ["preset", "quirks", "secret_headers"]
}

extension ProviderUse {
    var modelKey: String {
        switch self {
        case .generate: "model"
        case .speak, .narrate: "speech_model"
        case .image: "image_model"
        case .embed: "embedding_model"
        case .transcribe: "transcription_model"
        }
    }
}
