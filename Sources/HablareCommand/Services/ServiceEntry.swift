import Hablare
import HablareProviders

struct ServiceEntry: Sendable, Equatable {
    let settings: ServiceSettings
    let address: ServiceAddress?
    let key: ServiceKey?
    let problem: CommandFailure?

    var name: String { settings.name }
    var kind: ServiceKind { settings.kind }

    /// Examines a service. Its key is looked up even if the service needs no key, unless no key may be sent to it.
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
            for (header, name) in settings.secretHeaders.sorted(by: { $0.key < $1.key }) where settings.takesKey {
                guard try lookUp(name) == nil else { continue }
                keyProblem = CommandFailure(
                    .unavailable,
                    "There is no key \(name), which services.\(settings.name).secret_headers.\(header) names. Give it one with: hablare keys set \(name)"
                )
            }
        } catch {
            keyProblem = CommandFailure(error)
        }
        if key != nil || settings.needsKey || !settings.secretHeaders.isEmpty,
            let exposure = address.flatMap(settings.exposure)
        {
            keyProblem = CommandFailure(exposure)
        }
        // The user's decisions are reported before the user's remaining tasks.
        if !settings.isEnabled {
            problem = CommandFailure(
                .unavailable,
                "\(settings.name) is disabled. To enable it, set services.\(settings.name).enabled to true.")
        } else if programs.contains(settings.name) {
            problem = CommandFailure(
                .configuration,
                "\(settings.name) is also the name of a program. Rename the service or the program.")
        }
        self.address = address
        self.key = key
        self.problem = problem ?? keyProblem
    }

    private static func withoutKey(_ settings: ServiceSettings) -> CommandFailure {
        CommandFailure(
            .unavailable,
            """
            There is no key for \(settings.name). Store one with `hablare keys set \(settings.name)`. If the server \
            needs no key, set services.\(settings.name).needs_key to false.
            """)
    }
}

extension Composition {
    func services(_ settings: Settings, beside programs: [String] = []) -> [ServiceEntry] {
        // A program of the user's comes before a preset without settings.
        settings.services.filter { !($0.isBare && programs.contains($0.name)) }.map { entry(of: $0, beside: programs) }
    }

    func entry(of service: ServiceSettings, beside programs: [String] = []) -> ServiceEntry {
        ServiceEntry(service, beside: programs) { try lookUpKey($0, self) }
    }
}

struct ServiceKey: Sendable, Hashable {
    /// The key in a form that is safe to show: `sk-…c1f2`.
    let shown: String
    let origin: String
}

/// Looks up the key of a service; `nil` if it has none. Throws an error for an unusable key, such as an expired key.
typealias ServiceKeyLookup = @Sendable (_ service: String) throws -> ServiceKey?
