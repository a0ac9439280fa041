import Hablare
import HablareProviders

/// Who can be asked in a run: the programs of this machine, and the services as they are configured.
///
/// A service's key is looked up, and its providers are made, when somebody asks for one of them: who asks a program has no
/// business with keys.
struct ProviderDirectory: Sendable {
    let settings: Settings
    /// The programs.
    let programs: [InstalledProvider]
    private let limits: Composition.CallLimits
    private let composition: Composition

    /// - Parameter limits: What the command line says of how much each may be asked.
    /// - Throws: ``CommandFailure`` for a file of programs that is not as it should be.
    init(_ settings: Settings, _ limits: Composition.CallLimits, in composition: Composition) throws {
        self.settings = settings
        self.limits = limits
        self.composition = composition
        programs = try composition.providers(limits)
    }

    // MARK: One

    /// The provider that a command asks.
    ///
    /// - Parameters:
    ///   - name: What `--provider` says: a program, a provider such as `openai.speech`, or a service such as `openai`, which
    ///     is then the one of its providers that answers as wanted. `nil`: the settings' default for the command.
    ///   - use: The command.
    ///   - type: What it has to answer with, where a service has a choice.
    ///   - program: What a program would have to answer with, as `programs.json` has it.
    ///   - last: Who is asked where the settings name nobody either. Default: nobody.
    /// - Throws: ``CommandFailure``: there is none of the name, or why it cannot be asked, with what to do.
    func provider(
        _ name: String?, for use: ProviderUse, answering type: ContentType, program: String = "text",
        else last: String? = nil
    ) throws -> InstalledProvider {
        if let name = name ?? (settings.defaultProviders[use] == nil ? last : nil) {
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

    /// The provider of a name.
    func named(_ name: String, answering type: ContentType, program: String = "text") throws -> InstalledProvider {
        if let program = programs.first(where: { $0.name == name }) { return program }
        guard let service = settings.service(ServiceOptions.service(of: name)),
            let id = Self.id(of: name, at: service, answering: type)
        else { throw unknown(name, program) }
        let entry = composition.entry(of: service, beside: programs.programNames)
        if let problem = entry.problem { throw problem }
        guard let found = try made(entry).first(where: { $0.name == id }) else {
            throw CommandFailure(.unavailable, "\(id): \(ServiceEntry.notInThisBuild.message)")
        }
        if let problem = found.problem { throw problem }
        return found
    }

    /// Which of a service's providers a name means: the very one, or for the service's own name the one that answers as
    /// wanted; that failing its first.
    private static func id(
        of name: String, at service: ServiceSettings, answering type: ContentType
    ) -> String? {
        let offers = service.kind.offers
        guard name == service.name else {
            return offers.map { $0.id(of: service.name) }.contains(name) ? name : nil
        }
        return (offers.first { $0.answers == type } ?? offers.first)?.id(of: service.name)
    }

    private func unknown(_ name: String, _ program: String) -> CommandFailure {
        let offered = settings.services.flatMap { service in service.kind.offers.map { $0.id(of: service.name) } }
        let hint = NearestNames(programs.map(\.name) + offered).hint(for: name)
        let addition = ProgramsFile(environment: composition.environment).map {
            " \($0.addition(of: name, answering: program))"
        }
        return CommandFailure(.unavailable, "There is no provider \(name).\(hint)\(addition ?? "")")
    }

    private func made(_ entry: ServiceEntry) throws -> [InstalledProvider] {
        try composition.serviceProviders(entry, settings.network, limits, composition)
    }

    // MARK: Several

    /// Everybody who can be asked: all programs, and the providers of all services that stand as they should.
    ///
    /// One that has no model of its own is among them: a request may name one.
    func everybody() -> [InstalledProvider] {
        programs
            + composition.services(settings, beside: programs.programNames).flatMap { entry -> [InstalledProvider] in
                guard entry.problem == nil else { return [] }
                do {
                    return try made(entry)
                } catch {
                    return []  // what waits for it is said to wait for a provider that is not here
                }
            }
    }

    /// Who is asked where a provider fails: those of the service's setting `fallback` that answer with the same and can be
    /// asked, in order.
    ///
    /// - Parameter leftOut: Told of each that is not among them, and why.
    /// - Throws: ``CommandFailure`` for a name that is nobody's.
    func fallback(
        of installed: InstalledProvider, leftOut: (_ name: String, CommandFailure) -> Void = { _, _ in }
    ) throws -> [InstalledProvider] {
        guard let service = installed.service.flatMap(settings.service) else { return [] }
        var found: [InstalledProvider] = []
        for name in service.fallback {
            let other = settings.service(ServiceOptions.service(of: name))
            let isProgram = programs.contains { $0.name == name }
            guard isProgram || other.map({ Self.id(of: name, at: $0, answering: .text) != nil }) == true else {
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

    /// Makes the way to the network where one of some providers needs it, so that settings that cannot be used are known
    /// before anything is asked.
    ///
    /// - Throws: `AIServiceError`.
    func openNetwork(for providers: [InstalledProvider]) throws {
        guard providers.contains(where: { $0.service != nil }) else { return }
        try composition.way(to: settings.network).open()
    }
}
