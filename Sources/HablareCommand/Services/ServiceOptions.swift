import ArgumentParser
import Hablare
import HablareProviders

struct ServiceOptions: ParsableArguments {
    @Option(
        help: """
            The provider: a service such as openai, or a program. Default: default_provider.COMMAND in the settings. \
            Without this setting, narrate and speak use espeak-ng, and the commands generate, image, embed and \
            transcribe use the only provider that can be called. If several providers can be called, these four \
            commands stop with an error.
            """)
    var provider: String?

    @Option(
        name: [.short, .long],
        help: """
            The model. Default: the model in the settings. Without this setting, the default model of the provider.
            """)
    var model: String?

    @Option(
        help: ArgumentHelp(
            """
            The address of another server with the service's API, such as http://localhost:8080/v1. The service's key \
            is not sent to this server.
            """,
            valueName: "url"))
    var baseURL: String?

    @Option(
        help: ArgumentHelp(
            "Set a parameter of the provider, such as rate=150. Can be repeated.", valueName: "name=value"))
    var parameter: [ParameterOption] = []

    var givesVoice: Bool { parameter.contains { $0.name == "voice" } }

    /// Returns the service of a provider: `openai` for `openai.speech`, with or without an address (``AddressedName``).
    static func service(of provider: String) -> String { String(provider.prefix { $0 != "." && $0 != "@" }) }

    /// Returns the settings that these options override.
    func settings(for use: ProviderUse, over settings: Settings) throws -> [Setting] {
        var options: [Setting] = []
        if let provider {
            let path = SettingPath("default_provider", use.rawValue)
            options.append(.option("--provider", path, AddressedName.provider(of: provider)))
        }
        if let model {
            let (provider, service) = try service(meantBy: "--model", use, settings)
            let key = try modelKey(of: AddressedName.provider(of: provider), service, use)
            options.append(.option("--model", SettingPath("services", service.name) + key, model))
        }
        return options
    }

    /// Returns the name of the provider to use. With `--base-url` the name includes the address, unless this is the
    /// configured address of the service.
    func name(for use: ProviderUse, over settings: Settings) throws -> String? {
        guard let baseURL else { return provider }
        let (provider, service) = try service(meantBy: "--base-url", use, settings)
        let address: ServiceAddress
        switch ServiceAddress.read(baseURL) {
        case .success(let read): address = read
        case .failure(let error): throw SettingSource.option("--base-url").failure(error.message)
        }
        let name = AddressedName(provider: AddressedName.provider(of: provider), address: address)
        return service.addressProblem == nil && service.address == address.text ? name.provider : name.text
    }

    private func service(
        meantBy option: String, _ use: ProviderUse, _ settings: Settings
    ) throws -> (provider: String, ServiceSettings) {
        guard let provider = provider ?? settings.defaultProviders[use] else {
            throw CommandFailure(.usage, "\(option) needs a service. Pass --provider NAME.")
        }
        guard let service = settings.service(Self.service(of: provider)) else {
            let names = settings.services.map(\.name).joined(separator: ", ")
            throw CommandFailure(
                .usage,
                """
                \(option) needs a service, and \(provider) is not one. Services are \(names). Leave \(option) out for \
                other providers.
                """
            )
        }
        return (provider, service)
    }

    func applied(
        to data: DataOptions, for use: ProviderUse, in composition: Composition
    ) throws -> (settings: Settings, provider: String?) {
        let settings = try data.settings(in: composition)
        let options = try self.settings(for: use, over: settings)
        return (
            options.isEmpty ? settings : try data.settings(options, in: composition),
            try name(for: use, over: settings)
        )
    }

    private func modelKey(of provider: String, _ service: ServiceSettings, _ use: ProviderUse) throws -> String {
        let offers = service.offers
        if provider == service.name, let offer = offers.first(where: { $0.modelKey == use.modelKey }) {
            return offer.modelKey
        }
        guard let offer = offers.first(where: { $0.id(of: service.name) == provider }) else {
            let names = offers.map { $0.id(of: service.name) }
            throw CommandFailure(
                .unavailable,
                """
                Unknown provider '\(provider)'.\(NearestNames(names).hint(for: provider)) `hablare providers` \
                lists the known ones.
                """)
        }
        return offer.modelKey
    }
}
