import Hablare

/// Who is known here: the programs, and the services of the settings, whether or not they can be asked now. Pure.
struct KnownProviders: Sendable {
    /// The kind of each provider, in the order in which they were found.
    private let kinds: [(provider: String, kind: String?)]

    init(programs: [InstalledProvider], services: [ServiceSettings]) {
        let offered = services.flatMap { service in
            service.kind.offers.map { ($0.id(of: service.name), service.kind.rawValue as String?) }
        }
        kinds = programs.map { ($0.name, $0.kind) } + offered
    }

    /// The ids of all providers.
    var providers: [String] { kinds.map(\.provider) }

    /// What the price table may call a provider: its id, and where that is known, its kind.
    func names(of provider: String) -> [String] {
        [provider] + [kind(of: provider)].compactMap(\.self)
    }

    /// Whether there is a provider of a name, be it at an address of somebody's own.
    func has(_ provider: String) -> Bool {
        let provider = PlacedName.provider(of: provider)
        return kinds.contains { $0.provider == provider }
    }

    /// Whether a name in the price table is a provider's, or the kind of one.
    func isPayee(_ name: String) -> Bool { has(name) || kinds.contains { $0.kind == name } }

    /// Whether a provider is a program.
    func isProgram(_ provider: String) -> Bool { kind(of: provider) == PriceTable.programKind }

    /// One at an address of somebody's own is of its service's kind.
    private func kind(of provider: String) -> String? {
        let provider = PlacedName.provider(of: provider)
        return kinds.first { $0.provider == provider }?.kind
    }
}
