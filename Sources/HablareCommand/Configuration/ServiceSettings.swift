import Hablare
import HablareProviders

struct ServiceSettings: Sendable, Equatable {
    let name: String
    let kind: ServiceKind
    /// Where it is, as it was written; the address of the kind's own service where nothing was.
    var address: String
    /// What is wrong with ``address``. It counts once the service is to be asked.
    var addressProblem: CommandFailure?
    /// The models, by the settings that say them, such as `speech_model`. Default: the provider's own.
    var models: [String: String] = [:]
    var voice: String?
    var interface = TextInterface.chat
    var needsKey = true
    var isEnabled = true
    var concurrency = 4
    /// Calls a minute; `nil`: no limit but the service's own.
    var rate: Double?
    /// How long one attempt may take, or be silent where it streams.
    var timeout = Duration.seconds(120)
    /// What else its calls say, by names in small letters. Never a secret, but they may name an account.
    var headers: [String: String] = [:]
    var fallback: [String] = []
    /// Where it is asked in place of where it is configured; `nil`: it is asked there.
    private(set) var place: ServiceAddress?
    private(set) var takesKey = true
    /// Whether it needs a key as it is configured, also for who only looks.
    private(set) var isKeyed = false

    init(_ name: String, _ kind: ServiceKind) {
        self.name = name
        self.kind = kind
        address = kind.address
    }

    static let builtIn = ServiceKind.allCases.map { ServiceSettings($0.rawValue, $0) }
}

extension ServiceSettings {
    /// The service at another address. Its key and its headers go with it only within the configured origin.
    func placed(at address: ServiceAddress) -> ServiceSettings {
        var placed = self
        if !hasOrigin(of: address) {
            placed = unasked
            placed.isKeyed = false
            placed.headers = [:]
        }
        placed.place = address
        placed.address = address.text
        placed.addressProblem = nil
        return placed
    }

    /// The service for who only looks what it would be asked: its key is not looked up.
    var unasked: ServiceSettings {
        var unasked = self
        unasked.isKeyed = isKeyed || needsKey
        (unasked.takesKey, unasked.needsKey) = (false, false)
        return unasked
    }

    private func hasOrigin(of other: ServiceAddress) -> Bool {
        addressProblem == nil && ServiceAddress.read(address).value?.origin == other.origin
    }

    /// What it is called here, with its address where that is not the configured one: whose limits are used up.
    var placedName: String { Self.name(name, at: place) }

    func id(of offer: ServiceOffer) -> ProviderID {
        ProviderID(rawValue: Self.name(offer.id(of: name), at: place))
    }

    private static func name(_ name: String, at place: ServiceAddress?) -> String {
        place.map { PlacedName(provider: name, address: $0).text } ?? name
    }

    /// Why no key may be sent to an address; `nil` where one may. Everybody on the way could read it.
    func exposure(at address: ServiceAddress) -> AIServiceError? {
        guard address.origin.scheme == "http", !address.origin.isLoopback else { return nil }
        return AIServiceError(
            .invalidConfiguration,
            """
            \(name) is at \(address.origin.text), and a key is not sent over plain http to another machine. Give an \
            address with https. If the server wants no key, set services.\(name).needs_key to false, and delete the key \
            that is there: hablare keys delete \(name)
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
    /// What stands behind the service's name in the provider's id; `nil` for the one with the bare name.
    let variant: String?
    let answers: ContentType
    let modelKey: String

    func id(of service: String) -> String { variant.map { "\(service).\($0)" } ?? service }

    func model(in settings: ServiceSettings) -> String? { settings.models[modelKey] }
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
            ]
        case .anthropic:
            [
                ServiceOffer(variant: nil, answers: .text, modelKey: "model"),
                ServiceOffer(variant: "structured", answers: .structured, modelKey: "model"),
            ]
        case .elevenlabs: [ServiceOffer(variant: nil, answers: .audio, modelKey: "speech_model")]
        }
    }

    /// The settings that mean nothing for services of the kind, each of which would be ignored in silence.
    var missingKeys: [String] {
        switch self {
        case .openai: []
        case .anthropic: ["speech_model", "image_model", "embedding_model", "voice", "api"]
        case .elevenlabs: ["model", "image_model", "embedding_model", "api"]
        }
    }
}

extension ProviderUse {
    var modelKey: String {
        switch self {
        case .generate: "model"
        case .speak, .narrate: "speech_model"
        case .image: "image_model"
        case .embed: "embedding_model"
        }
    }
}
