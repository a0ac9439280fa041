import Hablare
import HablareProviders

/// Who can be asked in a run: the programs of this machine, and the services as they are configured. A service's key is
/// looked up when somebody asks for one of its providers: who asks a program has no business with keys.
struct ProviderDirectory: Sendable {
    let settings: Settings
    let programs: [InstalledProvider]
    private let limits: Composition.CallLimits
    private let composition: Composition

    /// - Parameter asksNobody: Whether no key is looked up, and that a service has none is no matter.
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
    ///   - name: What `--provider` says: a program, a provider such as `openai.speech`, or a service such as `openai`, which
    ///     is then the one of its providers that answers as wanted; a service's name may have an address (``PlacedName``).
    ///     `nil`: the settings' default for the command, else its usual one.
    ///   - program: What a program would have to answer with, as `programs.json` has it.
    func provider(
        _ name: String?, for use: ProviderUse, answering type: ContentType, program: String = "text"
    ) throws -> InstalledProvider {
        if let name = name ?? (settings.defaultProviders[use] == nil ? use.usualProvider : nil) {
            return try named(name, answering: type, program: program)
        }
        guard let usual = settings.defaultProviders[use] else {
            throw CommandFailure(
                .usage,
                """
                Nobody is named who could be asked. Add --provider, or set default_provider.\(use.rawValue). See who \
                there is: hablare providers
                """)
        }
        do {
            return try named(usual, answering: type, program: program)
        } catch let failure as CommandFailure {
            throw failure.advising("It is default_provider.\(use.rawValue) of the settings.")
        }
    }

    func named(_ name: String, answering type: ContentType, program: String = "text") throws -> InstalledProvider {
        if let program = programs.first(where: { $0.name == name }) { return program }
        guard let service = service(of: name), let offer = Self.offer(of: name, at: service, answering: type),
            let found = try made(of: service).first(where: { $0.provider.id == service.id(of: offer) })
        else { throw unknown(name, program) }
        if let problem = found.problem { throw problem }
        return found
    }

    /// The service of a name, at the address that the name says, if it says one; `nil` where there is none.
    private func service(of name: String) -> ServiceSettings? {
        let service = settings.service(ServiceOptions.service(of: name))
        return PlacedName(name).map { service?.placed(at: $0.address) } ?? service
    }

    /// Which of a service's providers a name means; for the service's own name the one that answers as wanted.
    private static func offer(
        of name: String, at service: ServiceSettings, answering type: ContentType
    ) -> ServiceOffer? {
        let (offers, name) = (service.kind.offers, PlacedName.provider(of: name))
        guard name == service.name else { return offers.first { $0.id(of: service.name) == name } }
        return offers.first { $0.answers == type } ?? offers.first
    }

    private func unknown(_ name: String, _ program: String) -> CommandFailure {
        let offered = settings.services.flatMap { service in service.kind.offers.map { $0.id(of: service.name) } }
        let hint = NearestNames(programs.map(\.name) + offered).hint(for: name)
        let addition = ProgramsFile(environment: composition.environment).map {
            " \($0.addition(of: name, answering: program))"
        }
        return CommandFailure(.unavailable, "There is no provider \(name).\(hint)\(addition ?? "")")
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

    /// Everybody who can be asked, also one that has no model of its own: a request may name one.
    ///
    /// - Parameter known: Providers that requests of the store are for. Those at an address of their own are among them,
    ///   too: nobody configures these, and they are what their ids say.
    func everybody(askedBefore known: [ProviderID] = []) -> Everybody {
        var all = Everybody(providers: programs)
        for service in settings.services { add(service, to: &all) }
        for id in known where PlacedName(id.rawValue) != nil {
            if let service = service(of: id.rawValue) {
                add(service, only: id, to: &all)
            } else {
                let name = ServiceOptions.service(of: id.rawValue)
                all.leftOut[id] = CommandFailure(
                    .unavailable, "The settings have no service \(name), which says how it is asked. Add it there.")
            }
        }
        return all
    }

    private func add(_ service: ServiceSettings, only id: ProviderID? = nil, to all: inout Everybody) {
        func isMeant(_ other: ProviderID) -> Bool { id == nil || id == other }
        do {
            all.providers += try made(of: service).filter { isMeant($0.provider.id) }
        } catch {
            for id in service.kind.offers.map(service.id) where isMeant(id) { all.leftOut[id] = CommandFailure(error) }
        }
    }

    /// Opens the way to the network; where there is none, leaves the services out.
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

    /// The providers of the service's setting `fallback` that answer with the same and can be asked, in order.
    func fallback(
        of installed: InstalledProvider, leftOut: (_ name: String, CommandFailure) -> Void = { _, _ in }
    ) throws -> [InstalledProvider] {
        // What is for an address of somebody's own choice goes to no other.
        guard let service = installed.service.flatMap(settings.service), PlacedName(installed.name) == nil else {
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
                    "services.\(service.name).fallback names \(name), and there is no such provider.\(NearestNames(names).hint(for: name))"
                )
            }
            let next: InstalledProvider
            do {
                next = try named(name, answering: installed.provider.responseType)
            } catch let failure as CommandFailure {
                leftOut(name, failure)
                continue
            }
            // A service may have nothing of the kind: the setting is for all that the first one answers with.
            guard next.provider.responseType == installed.provider.responseType,
                next.name != installed.name, !found.contains(where: { $0.name == next.name })
            else { continue }
            found.append(next)
        }
        return found
    }

    /// Makes the way to the network where it is needed, so that wrong settings are known before anything is asked.
    func openNetwork(for providers: [InstalledProvider]) throws {
        guard providers.contains(where: { $0.service != nil }) else { return }
        try composition.way(to: settings.network).open()
    }
}
