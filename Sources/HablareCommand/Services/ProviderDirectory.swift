import Hablare
import HablareProviders

/// The providers of a run: the programs of this machine and the configured services. A service's key is looked up only
/// if one of its providers is requested. So a run that uses only programs does not read keys.
struct ProviderDirectory: Sendable {
    let settings: Settings
    let programs: [InstalledProvider]
    let limits: Composition.CallLimits
    let composition: Composition

    /// - Parameter asksNobody: Whether no key is looked up. A service without a key is then usable.
    init(
        _ settings: Settings, _ limits: Composition.CallLimits, asksNobody: Bool = false, in composition: Composition
    ) throws {
        var settings = settings
        if asksNobody { settings.services = settings.services.map(\.unasked) }
        self.settings = settings
        self.limits = limits
        self.composition = composition
        programs = try composition.providers(limits)
    }

    /// - Parameters:
    ///   - name: The value of `--provider`: a program, a provider such as `openai.speech`, or a service such as
    ///     `openai`. A service means its provider that answers with `type`. The name may have an address
    ///     (``AddressedName``). `nil`: the default in the settings for the command, or else the command's own default.
    ///   - program: The content type that a program must answer with, as `programs.json` spells it.
    func provider(
        _ name: String?, for use: ProviderUse, answering type: ContentType, program: String = "text"
    ) throws -> InstalledProvider {
        if let name = name ?? (settings.defaultProviders[use] == nil ? use.usualProvider : nil) {
            return try named(name, answering: type, program: program, hearing: use == .transcribe)
        }
        guard let usual = settings.defaultProviders[use] else {
            throw CommandFailure(
                .usage,
                """
                No provider given. Pass --provider NAME or set default_provider.\(use.rawValue). `hablare providers` \
                lists what is available.
                """)
        }
        do {
            return try named(usual, answering: type, program: program, hearing: use == .transcribe)
        } catch let failure as CommandFailure {
            throw failure.advising("It is default_provider.\(use.rawValue) in the settings.")
        }
    }

    /// - Parameter hears: Whether the provider must transcribe recordings.
    func named(
        _ name: String, answering type: ContentType, program: String = "text", hearing hears: Bool = false
    ) throws -> InstalledProvider {
        if let program = programs.first(where: { $0.name == name }) { return program }
        guard let service = service(of: name),
            let offer = Self.offer(of: name, at: service, answering: type, hearing: hears),
            let found = try made(of: service).first(where: { $0.provider.id == service.id(of: offer) })
        else { throw unknown(name, program) }
        if let problem = found.problem { throw problem }
        return found
    }

    /// Returns the provider that answers new requests in batches, or the reason why there is none.
    ///
    /// - Parameter wasAsked: Whether the provider is for stored requests, which continue whatever the settings are.
    func batch(of installed: InstalledProvider, wasAsked: Bool = false) throws -> Result<InstalledProvider, BatchLack> {
        guard let service = service(of: installed.name), installed.service != nil,
            let offer = service.offers.first(where: { service.id(of: $0) == installed.provider.id }),
            let id = service.batchID(of: offer),
            let found = try made(of: service).first(where: { $0.provider.id == id })
        else { return .failure(BatchLack(reason: "\(installed.name) has no batches")) }
        if wasAsked { return .success(found) }
        guard service.usesBatches else { return .failure(BatchLack(service, AddressedName(installed.name) != nil)) }
        return .success(found)
    }

    /// Returns the service with a name, at the address in the name if there is one; `nil` if the service is unknown.
    private func service(of name: String) -> ServiceSettings? {
        let service = settings.service(ServiceOptions.service(of: name))
        return AddressedName(name).map { service?.relocated(at: $0.address) } ?? service
    }

    /// Returns the offer that a name means. The service's own name means the offer that answers with the wanted type.
    private static func offer(
        of name: String, at service: ServiceSettings, answering type: ContentType, hearing hears: Bool = false
    ) -> ServiceOffer? {
        let (offers, name) = (service.offers, AddressedName.provider(of: name))
        guard name == service.name else { return offers.first { $0.id(of: service.name) == name } }
        return offers.first { $0.answers == type && $0.hears == hears } ?? offers.first
    }

    private func unknown(_ name: String, _ program: String) -> CommandFailure {
        if settings.services.contains(where: { $0.batchIDs.contains(ProviderID(rawValue: name)) }) {
            let live = BatchName.live(of: ProviderID(rawValue: name))
            return CommandFailure(.usage, "\(name) answers by batches. Pass --provider \(live) --batch instead.")
        }
        let offered = settings.services.flatMap { service in service.offers.map { $0.id(of: service.name) } }
        let hint = NearestNames(programs.map(\.name) + offered).hint(for: name)
        let addition = ProgramsFile(environment: composition.environment).map {
            " \($0.addition(of: name, answering: program))"
        }
        return CommandFailure(
            .unavailable,
            """
            Unknown provider '\(name)'.\(hint) `hablare providers` lists the known ones.\(addition ?? "")
            """)
    }

    private func made(of service: ServiceSettings) throws -> [InstalledProvider] {
        let entry = composition.entry(of: service, beside: programs.programNames)
        if let problem = entry.problem { throw problem }
        return try composition.serviceProviders(entry, settings.network, limits, composition)
    }

    struct Everybody: Sendable {
        var providers: [InstalledProvider]
        var leftOut: [ProviderID: CommandFailure] = [:]

        func without(_ others: [ProviderID], _ reason: CommandFailure) -> Everybody {
            var all = self
            all.providers.removeAll { others.contains($0.provider.id) }
            for id in others { all.leftOut[id] = reason }
            return all
        }
    }

    /// Returns all providers that can be called. This includes providers without a default model, because a request may
    /// name a model.
    ///
    /// - Parameter known: The providers of stored requests. If a stored request used a provider with `--base-url`, the
    ///   settings do not have this provider. It is nevertheless included, because its id contains its address.
    func everybody(askedBefore known: [ProviderID] = []) -> Everybody {
        var all = Everybody(providers: programs)
        for service in settings.services { add(service, to: &all) }
        for id in known where AddressedName(id.rawValue) != nil {
            if let service = service(of: id.rawValue) {
                add(service, only: id, to: &all)
            } else {
                let name = ServiceOptions.service(of: id.rawValue)
                all.leftOut[id] = CommandFailure(
                    .unavailable, "The settings have no service \(name). Add it to hablare.yaml.")
            }
        }
        return all
    }

    private func add(_ service: ServiceSettings, only id: ProviderID? = nil, to all: inout Everybody) {
        func isMeant(_ other: ProviderID) -> Bool { id == nil || id == other }
        do {
            all.providers += try made(of: service).filter { isMeant($0.provider.id) }
        } catch {
            for id in service.offers.map(service.id) + service.batchIDs where isMeant(id) {
                all.leftOut[id] = CommandFailure(error)
            }
        }
    }

    /// Opens the network. If this fails, returns the providers without the services.
    func withNetwork(_ all: Everybody) -> Everybody {
        do {
            try openNetwork(for: all.providers)
            return all
        } catch {
            var left = all
            left.providers.removeAll { $0.service != nil }
            for provider in all.providers where provider.service != nil {
                left.leftOut[provider.provider.id] = CommandFailure(error)
            }
            return left
        }
    }

    /// Returns the usable providers in the service's setting `fallback` that answer with the same type, in order.
    func fallback(
        of installed: InstalledProvider, leftOut: (_ name: String, CommandFailure) -> Void = { _, _ in }
    ) throws -> [InstalledProvider] {
        // A request for an address that the user chose goes to no other.
        guard let service = installed.service.flatMap(settings.service), AddressedName(installed.name) == nil else {
            return []
        }
        var found: [InstalledProvider] = []
        for name in service.fallback {
            let other = settings.service(ServiceOptions.service(of: name))
            let isProgram = programs.contains { $0.name == name }
            guard isProgram || other.map({ Self.offer(of: name, at: $0, answering: .text) != nil }) == true else {
                let names = programs.map(\.name) + settings.services.map(\.name)
                throw CommandFailure(
                    .configuration,
                    """
                    services.\(service.name).fallback names the unknown provider \
                    \(name).\(NearestNames(names).hint(for: name))
                    """
                )
            }
            let next: InstalledProvider
            do {
                next = try named(name, answering: installed.provider.responseType)
            } catch let failure as CommandFailure {
                leftOut(name, failure)
                continue
            }
            // A fallback service may not answer with this type: the setting applies to all types of the first service.
            guard next.provider.responseType == installed.provider.responseType,
                next.name != installed.name, !found.contains(where: { $0.name == next.name })
            else { continue }
            found.append(next)
        }
        return found
    }

    /// Opens the network if a provider needs it, so that errors in its settings are reported before anything is sent.
    func openNetwork(for providers: [InstalledProvider]) throws {
        guard providers.contains(where: { $0.service != nil }) else { return }
        try composition.way(to: settings.network).open()
    }
}
