import Hablare
import HablareProviders

struct ServiceEntry: Sendable, Equatable {
    let settings: ServiceSettings
    let address: ServiceAddress?
    let key: ServiceKey?
    let problem: CommandFailure?

    var name: String { settings.name }
    var kind: ServiceKind { settings.kind }

    /// Looks how a service stands. Its key is looked up also where it needs none, and not where no key of its goes.
    init(_ settings: ServiceSettings, beside programs: [String] = [], lookUp: ServiceKeyLookup) {
        self.settings = settings
        var problem = settings.addressProblem
        var address: ServiceAddress?
        if problem == nil {
            do throws(AIServiceError) {
                address = try ServiceAddress(settings.address)
            } catch {
                problem = CommandFailure(error)
            }
        }
        var key: ServiceKey?
        var keyProblem: CommandFailure?
        do {
            if settings.takesKey { key = try lookUp(settings.name) }
            if key == nil, settings.needsKey { keyProblem = Self.withoutKey(settings) }
        } catch {
            keyProblem = CommandFailure(error)
        }
        if key != nil || settings.needsKey, let exposure = address.flatMap(settings.exposure) {
            keyProblem = CommandFailure(exposure)
        }
        // What a person decided comes before what they have still to do.
        if !settings.isEnabled {
            problem = CommandFailure(
                .unavailable,
                "\(settings.name) is disabled. Set services.\(settings.name).enabled to true to have it asked.")
        } else if programs.contains(settings.name) {
            problem = CommandFailure(
                .configuration,
                "\(settings.name) is a program's name, too. Give the service or the program another one.")
        }
        self.address = address
        self.key = key
        self.problem = problem ?? keyProblem
    }

    private static func withoutKey(_ settings: ServiceSettings) -> CommandFailure {
        CommandFailure(
            .unavailable,
            """
            There is no key for \(settings.name). Give it one with: hablare keys set \(settings.name); or, for a \
            server that wants none, set services.\(settings.name).needs_key to false.
            """)
    }
}

extension Composition {
    func services(_ settings: Settings, beside programs: [String] = []) -> [ServiceEntry] {
        settings.services.map { entry(of: $0, beside: programs) }
    }

    func entry(of service: ServiceSettings, beside programs: [String] = []) -> ServiceEntry {
        ServiceEntry(service, beside: programs) { try lookUpKey($0, self) }
    }
}

struct ServiceKey: Sendable, Hashable {
    /// As it may be shown: `sk-…c1f2`.
    let shown: String
    let origin: String
}

/// Looks up the key of a service; `nil` where it has none. Throws for one that cannot be used, such as an expired one.
typealias ServiceKeyLookup = @Sendable (_ service: String) throws -> ServiceKey?
