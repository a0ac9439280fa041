import Foundation
import Hablare
import HablareProviders

/// The services. This part of the composition names the concrete providers of network services.
extension Composition {
    static func networkProviders(
        of entry: ServiceEntry, _ network: Settings.Network, _ limits: CallLimits, in composition: Composition
    ) throws -> [InstalledProvider] {
        guard let address = entry.address else { return [] }
        let site = try ServiceSite(entry.settings, at: address, network, limits, in: composition)
        let made =
            switch entry.kind {
            case .openai: openAI(site)
            case .anthropic: anthropic(site)
            case .elevenlabs: elevenLabs(site)
            }
        return made.withBatches(of: entry.settings, in: composition)
    }

    static func storedKey(of service: String, in composition: Composition) throws -> ServiceKey? {
        try composition.credentials.credential(named: CredentialName(service)).map { found in
            ServiceKey(shown: found.credential.key.shown, origin: found.source.location ?? found.source.kind)
        }
    }

    private static func openAI(_ site: ServiceSite) -> [InstalledProvider] {
        let service = site.openAI()
        let settings = site.settings
        return site.settings.offers.map { offer in
            let id = settings.id(of: offer)
            let isOpenAI = site.address.origin.host == "api.openai.com"
            let model = offer.model(in: settings) ?? site.usualModel(of: offer)
            let timeout = site.timeout
            var voices: InstalledProvider.ServiceVoices?
            let provider: any AIServiceProvider
            switch offer.answers {
            case .text where offer.hears:
                provider = OpenAITranscriptionProvider(id, service: service, model: model ?? "", timeout: timeout)
            case .text, .structured:
                let form: AnswerForm = offer.answers == .text ? .text : .structured
                provider =
                    switch settings.interface {
                    case .chat:
                        OpenAIChatProvider(id, service: service, model: model ?? "", form: form, timeout: timeout)
                    case .responses:
                        OpenAIResponsesProvider(id, service: service, model: model ?? "", form: form, timeout: timeout)
                    }
            case .audio:
                let voice = settings.voice ?? OpenAISpeechProvider.voices[0]
                provider = OpenAISpeechProvider(
                    id, service: service, model: model ?? "", voice: voice, timeout: timeout)
                voices = InstalledProvider.ServiceVoices(usual: voice) { _ in
                    // Another server has other voices, and this API cannot list them.
                    isOpenAI ? OpenAISpeechProvider.voices.map { SpeechVoice(id: $0, name: $0) } : []
                } check: { voice in
                    guard isOpenAI, !voice.hasPrefix("voice_"), !OpenAISpeechProvider.voices.contains(voice)
                    else { return }
                    throw AIServiceError(
                        .invalidRequest,
                        "OpenAI has no voice \(voice).\(NearestNames(OpenAISpeechProvider.voices).hint(for: voice))")
                }
                voices?.sound = InstalledProvider.ServiceSound(
                    formats: OpenAISpeechProvider.formats, takesContext: false
                ) { OpenAISpeechProvider.formats.contains($0) ? AudioFormat(rawValue: $0) : nil }
            case .image: provider = OpenAIImageProvider(id, service: service, model: model ?? "", timeout: timeout)
            default: provider = OpenAIEmbeddingProvider(id, service: service, model: model ?? "", timeout: timeout)
            }
            let missing = model == nil ? site.withoutModel(offer) : nil
            var installed = InstalledProvider(
                serving: settings.name, provider, isCharged: service.isCharged, voices: voices,
                problem: missing)
            installed.takesThinking = provider is OpenAIResponsesProvider || service.compatibility.returnsReasoning
            return installed
        }
    }

    private static func anthropic(_ site: ServiceSite) -> [InstalledProvider] {
        let service = site.anthropic()
        let limits = site.limits(.anthropic, at: "api.anthropic.com")
        return site.settings.offers.map { offer in
            let id = site.settings.id(of: offer)
            let form: AnswerForm = offer.answers == .text ? .text : .structured
            let provider = AnthropicMessagesProvider(
                id: id, service: service, form: form, model: offer.model(in: site.settings), limits: limits)
            var installed = InstalledProvider(serving: site.settings.name, provider)
            installed.takesThinking = true
            return installed
        }
    }

    private static func elevenLabs(_ site: ServiceSite) -> [InstalledProvider] {
        let service = site.elevenLabs()
        return site.settings.offers.map { offer in
            let id = site.settings.id(of: offer)
            var limits = site.limits(.elevenLabs, at: "api.elevenlabs.io")
            guard !offer.hears else {
                let provider = ElevenLabsTranscriptionProvider(
                    id: id, service: service, model: offer.model(in: site.settings), limits: limits)
                return InstalledProvider(serving: site.settings.name, provider)
            }
            let usual = ElevenLabsSpeechProvider(id: id, service: service, model: offer.model(in: site.settings))
            let model = usual.model
            limits.maximumCharacters = ElevenLabsModel.maximumCharacters(of: model)
            let provider = ElevenLabsSpeechProvider(
                id: id, service: service, model: model, defaultVoice: site.settings.voice ?? usual.defaultVoice,
                limits: limits)
            var voices = InstalledProvider.ServiceVoices(usual: provider.defaultVoice) { refresh in
                try await service.voices(refresh: refresh)
            } check: { voice in
                _ = try await service.voiceID(of: voice)
            }
            voices.sound = InstalledProvider.ServiceSound(
                formats: SoundFormat.Coding.allCases.map(\.rawValue),
                takesContext: ElevenLabsModel.takesContext(model)
            ) { SoundFormat($0)?.audioFormat }
            return InstalledProvider(serving: site.settings.name, provider, voices: voices)
        }
    }

    /// Returns the models that a service lists for its key, with the known facts about each model.
    static func listedModels(
        _ entry: ServiceEntry, _ network: Settings.Network, in composition: Composition
    ) async throws -> [ModelInformation] {
        guard let address = entry.address else { return [] }
        let site = try ServiceSite(entry.settings, at: address, network, .forAsking(), in: composition)
        return try await site.models()
    }

    static func keyChecks(_ settings: Settings, in composition: Composition) -> [String: KeyCheck] {
        settings.services.reduce(into: [:]) { checks, service in
            checks[service.name] = { key in
                if let problem = service.addressProblem { throw problem }
                let site = try ServiceSite(
                    service, at: try ServiceAddress(service.address), settings.network, .forAsking(), in: composition,
                    key: key)
                return try await site.greeting()
            }
        }
    }
}

private struct ServiceSite: Sendable {
    let settings: ServiceSettings
    let address: ServiceAddress
    private let transport: any HTTPTransport
    private let limits: Composition.CallLimits
    private let key: @Sendable () throws(AIServiceError) -> APIKey?
    private let secrets: @Sendable () throws(AIServiceError) -> [String: APIKey]
    private let voices: VoiceCache?
    private let date: @Sendable () -> Date
    private let catalog: ModelCatalog

    init(
        _ settings: ServiceSettings, at address: ServiceAddress, _ network: Settings.Network,
        _ limits: Composition.CallLimits, in composition: Composition, key: APIKey? = nil
    ) throws(AIServiceError) {
        self.settings = settings
        // The API has paths of two versions, so each path includes its version. Users often copy an address that ends
        // in one.
        let hasVersion = settings.kind == .elevenlabs && address.text.hasSuffix("/v1")
        self.address = hasVersion ? try ServiceAddress(String(address.text.dropLast(3))) : address
        self.limits = limits
        let way = try FieldTransport(composition.way(to: network), fields: settings.headers)
        transport =
            settings.takesKey
            ? way : KeylessTransport(base: way, service: settings.name, kind: settings.kind, address: address)
        date = composition.seams.date
        catalog = settings.kind.isOwn(address) ? composition.catalog : composition.catalog.withoutEnds()
        voices = XDGFolders(environment: composition.environment).cache.map { folder in
            VoiceCache(file: folder.appending(path: "voices-\(settings.name).json"), date: composition.seams.date)
        }
        let chain = composition.credentials
        secrets = { () throws(AIServiceError) in
            guard !settings.secretHeaders.isEmpty else { return [:] }
            if let exposure = settings.exposure(at: address) { throw exposure }
            var found: [String: APIKey] = [:]
            for (header, name) in settings.secretHeaders {
                found[header] = try chain.required(CredentialName(name)).credential.key
            }
            return found
        }
        self.key = { () throws(AIServiceError) in
            guard settings.takesKey else { return nil }
            var found = key
            if found == nil {
                let name = try CredentialName(settings.name)
                found =
                    settings.needsKey
                    ? try chain.required(name).credential.key : try chain.credential(named: name)?.credential.key
            }
            if found != nil, let exposure = settings.exposure(at: address) { throw exposure }
            return found
        }
    }

    var timeout: Duration { limits.timeout ?? settings.timeout }

    /// The account whose rate limits the calls use up. Each service has its own key, and so its own account. An address
    /// other than the configured address is another server, and so another account.
    private var account: AccountID { AccountID(rawValue: settings.addressedName) }
    private var concurrency: Int { limits.concurrency ?? settings.concurrency }
    private var rate: RateLimit? { (limits.rate ?? settings.rate).map { RateLimit(requestsPerMinute: $0) } }

    func limits(_ usual: RateLimit, at host: String) -> ProviderLimits {
        ProviderLimits(
            concurrency: concurrency, attemptTimeout: timeout,
            rate: rate ?? (address.origin.host == host ? usual : .asReported))
    }

    func openAI() -> OpenAIService {
        OpenAIService(
            address, transport: transport, key: key, keyField: settings.preset?.keyField, secrets: secrets,
            name: settings.title, compatibility: settings.compatibility, isCharged: isCharged, account: account,
            rate: rate, concurrency: concurrency, catalog: catalog, date: date)
    }

    /// Returns the model for requests that name none; `nil` if there is no such model. If the server is not the
    /// vendor's own, it has other models, so the result is `nil`, unless the server's API is used by only one vendor.
    func usualModel(of offer: ServiceOffer) -> String? {
        guard settings.kind != .openai || settings.kind.isOwn(address) else { return nil }
        return catalog.defaultModel(offer.kind, of: settings.kind.rawValue)
    }

    /// Whether calls cost money; `nil` for the provider's default for its address. A local server that requires a key
    /// counts as charged, because it may pass calls on to a service. A server with its own price also counts as
    /// charged.
    private var isCharged: Bool? {
        if settings.needsKey || settings.isKeyed { return true }
        // Prices under the name of a kind are those of the service itself, so they do not apply to another server.
        guard settings.name != settings.kind.rawValue else { return nil }
        let isPriced = limits.prices.entries.contains {
            $0.provider == settings.name || $0.provider.hasPrefix("\(settings.name).")
        }
        return isPriced ? true : nil
    }

    func anthropic() -> AnthropicService {
        AnthropicService(
            address: address, account: account, transport: transport, key: key, catalog: catalog, date: date)
    }

    func elevenLabs() -> ElevenLabsService {
        ElevenLabsService(
            address: address, account: account, voices: voices, transport: transport, key: key, catalog: catalog,
            date: date)
    }

    func withoutModel(_ offer: ServiceOffer) -> CommandFailure {
        let ending = catalog.models.filter { model in
            model.vendor == settings.kind.rawValue && model.kind == offer.kind && settings.kind.isOwn(address)
                && model.standing(at: date()) == .ending(model.endsAt)
        }
        let known = ending.isEmpty ? "" : " Known: \(ending.map(\.id).joined(separator: ", ")), which end soon."
        return CommandFailure(
            .configuration,
            """
            No model given for \(settings.name). Pass --model NAME or set \
            services.\(settings.name).\(offer.modelKey).\(known)
            """)
    }

    func models() async throws -> [ModelInformation] {
        switch settings.kind {
        case .openai: return try await openAI().models()
        case .anthropic: return try await anthropic().models()
        case .elevenlabs:
            let listed = try await elevenLabs().models().map { model in
                ModelInformation(
                    vendor: settings.kind.rawValue, id: model.id, name: model.name, kind: .speech,
                    maximumCharacters: model.maximumCharacters.map(Int64.init))
            }
            return catalog.updating(listed)
        }
    }

    func greeting() async throws(AIServiceError) -> String {
        switch settings.kind {
        case .openai: return Self.models(try await openAI().models().count)
        case .anthropic: return Self.models(try await anthropic().models().count)
        case .elevenlabs:
            let account = try await elevenLabs().subscription()
            return "The plan \(account.plan) has \(account.creditsLeft) of \(account.includedCredits) credits left."
        }
    }

    private static func models(_ count: Int) -> String { "It may call \(TimeText.count(count, "model"))." }
}
