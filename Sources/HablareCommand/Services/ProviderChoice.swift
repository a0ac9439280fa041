import Hablare

/// The choice of a provider if neither the command line nor the settings name one.
enum ProviderChoice {
    /// Returns the only usable provider.
    ///
    /// - Parameter usable: The names of the providers that can be called.
    /// - Throws: ``CommandFailure`` with the status `usage` if there is no usable provider, or if there are several. It
    ///   says what to do.
    static func only(of usable: [String], for use: ProviderUse) throws(CommandFailure) -> String {
        let setting = "default_provider.\(use.rawValue)"
        guard let name = usable.first else {
            throw CommandFailure(
                .usage,
                """
                No provider given, and none can be called. `hablare init` sets one up, and `hablare providers` says why \
                each cannot be called. Then pass --provider NAME or set \(setting).
                """)
        }
        guard usable.count == 1 else {
            throw CommandFailure(
                .usage,
                """
                No provider given, and several can be called: \(usable.joined(separator: ", ")). Pass --provider NAME, \
                or set \(setting), such as default_provider: {\(use.rawValue): \(name)} in hablare.yaml.
                """)
        }
        return name
    }
}

extension ServiceOptions {
    /// Returns these options with the only usable provider, if the options and the settings name none and the command
    /// has no default. A note says which provider was chosen.
    func choosing(
        for use: ProviderUse, answering type: ContentType, data: DataOptions, quiet: Bool, in composition: Composition
    ) async throws -> ServiceOptions {
        guard provider == nil, baseURL == nil, use.usualProvider == nil else { return self }
        let settings = try data.settings(in: composition)
        guard settings.defaultProviders[use] == nil else { return self }
        let directory = try ProviderDirectory(settings, .forAsking(), in: composition)
        let usable = try await directory.usable(for: use, answering: type, isModelGiven: model != nil)
        var chosen = self
        chosen.provider = try ProviderChoice.only(of: usable, for: use)
        if !quiet, let name = chosen.provider {
            composition.console.note("Using \(name), the only provider that can be called.")
        }
        return chosen
    }
}

extension ProviderDirectory {
    /// Returns the names of the services and programs that can be called for a use. A service that needs no key counts
    /// only if it is configured, because nothing else shows that the user has it.
    func usable(for use: ProviderUse, answering type: ContentType, isModelGiven: Bool) async throws -> [String] {
        let hears = use == .transcribe
        var names = composition.services(settings, beside: programs.programNames)
            .filter { entry in
                guard entry.problem == nil, entry.key != nil || !entry.settings.isBare,
                    let offer = entry.settings.offers.first(where: { $0.answers == type && $0.hears == hears })
                else { return false }
                let provider = made(of: entry)?.first { $0.provider.id == entry.settings.id(of: offer) }
                // A service without a model can be called with one of the command line.
                return provider.map { $0.problem == nil || isModelGiven } ?? false
            }
            .map(\.name)
        for program in programs where program.provider.responseType == type && program.hears == hears {
            if await program.health().problem == nil { names.append(program.name) }
        }
        return names
    }

    /// Returns the providers of a service; `nil` if they cannot be created. `hablare providers` shows the reason.
    private func made(of entry: ServiceEntry) -> [InstalledProvider]? {
        do {
            return try composition.serviceProviders(entry, settings.network, limits, composition)
        } catch {
            return nil
        }
    }
}
