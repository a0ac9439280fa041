import ArgumentParser
import Hablare
import HablareProviders

struct ServiceOptions: ParsableArguments {
    @Option(help: "Who is asked: a service, such as openai, or a program. Default: default_provider of the settings.")
    var provider: String?

    @Option(help: "The model, where the provider has several. Default: the settings', else the provider's.")
    var model: String?

    @Option(
        help: ArgumentHelp(
            """
            Where the service is, for this run: any server that speaks as it does, such as http://localhost:8080/v1. The \
            service's key does not go there.
            """,
            valueName: "url"))
    var baseURL: String?

    @Option(
        help: ArgumentHelp("A parameter of the provider, such as rate=150; may be repeated.", valueName: "name=value"))
    var parameter: [ParameterOption] = []

    var givesVoice: Bool { parameter.contains { $0.name == "voice" } }

    /// Returns the service of a provider: `openai` for `openai.speech`, with or without an address (``PlacedName``).
    static func service(of provider: String) -> String { String(provider.prefix { $0 != "." && $0 != "@" }) }

    /// Returns the settings that these options override.
    func settings(for use: ProviderUse, over settings: Settings) throws -> [Setting] {
        var options: [Setting] = []
        if let provider {
            let path = SettingPath("default_provider", use.rawValue)
            options.append(.option("--provider", path, PlacedName.provider(of: provider)))
        }
        if let model {
            let (provider, service) = try service(meantBy: "--model", use, settings)
            let key = try modelKey(of: PlacedName.provider(of: provider), service, use)
            options.append(.option("--model", SettingPath("services", service.name) + key, model))
        }
        return options
    }

    /// Returns the name of the provider to ask. With `--base-url` it includes the address, unless its service is
    /// configured there.
    func name(for use: ProviderUse, over settings: Settings) throws -> String? {
        guard let baseURL else { return provider }
        let (provider, service) = try service(meantBy: "--base-url", use, settings)
        let address: ServiceAddress
        switch ServiceAddress.read(baseURL) {
        case .success(let read): address = read
        case .failure(let error): throw SettingPlace.option("--base-url").failure(error.message)
        }
        let name = PlacedName(provider: PlacedName.provider(of: provider), address: address)
        return service.addressProblem == nil && service.address == address.text ? name.provider : name.text
    }

    private func service(
        meantBy option: String, _ use: ProviderUse, _ settings: Settings
    ) throws -> (provider: String, ServiceSettings) {
        guard let provider = provider ?? settings.defaultProviders[use] else {
            throw CommandFailure(.usage, "\(option) is about a service, and none is named. Add --provider.")
        }
        guard let service = settings.service(Self.service(of: provider)) else {
            let names = settings.services.map(\.name).joined(separator: ", ")
            throw CommandFailure(
                .usage,
                "\(option) is about a service, and \(provider) is none. Services are \(names); leave it out for others."
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
                .unavailable, "There is no provider \(provider).\(NearestNames(names).hint(for: provider))")
        }
        return offer.modelKey
    }
}
