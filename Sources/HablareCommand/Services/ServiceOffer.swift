import Hablare

/// One of the providers that a service is: what it answers, and with which model.
struct ServiceOffer: Sendable, Hashable {
    /// What stands behind the service's name in the provider's id; `nil` for the one with the bare name.
    let variant: String?
    /// What it answers with.
    let answers: ContentType
    /// The setting that says its model.
    let modelKey: String

    /// The id of the provider of a service: `openai.speech`.
    func id(of service: String) -> String { variant.map { "\(service).\($0)" } ?? service }

    /// The model that is configured for it; `nil` where it is the provider's own.
    func model(in settings: ServiceSettings) -> String? {
        switch modelKey {
        case "speech_model": settings.speechModel
        case "image_model": settings.imageModel
        case "embedding_model": settings.embeddingModel
        default: settings.model
        }
    }
}

extension ServiceKind {
    /// What services of the kind offer, the bare name first.
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
}

extension ServiceKind {
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
    /// The setting for the model of what the command asks.
    var modelKey: String {
        switch self {
        case .generate: "model"
        case .speak, .narrate: "speech_model"
        case .image: "image_model"
        case .embed: "embedding_model"
        }
    }
}
