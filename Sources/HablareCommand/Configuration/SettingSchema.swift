/// What the configuration may say: the one table that reading, checking and the documentation are held to.
indirect enum SettingSchema: Sendable {
    /// A value of a kind, and the words for what holds where nothing is said.
    case value(SettingKind, default: String)
    /// Parts with names of ours, each once.
    case section([Part])
    /// Parts with names of a person's own, each of the same form.
    case each(SettingNaming, SettingSchema)

    struct Part: Sendable {
        let name: String
        let schema: SettingSchema

        init(_ name: String, _ schema: SettingSchema) {
            self.name = name
            self.schema = schema
        }
    }

    /// A value of the schema, with the names that a person gives as ``SettingNaming/placeholder``.
    struct Leaf: Sendable {
        let path: SettingPath
        let kind: SettingKind
        let `default`: String
    }

    /// Every value, in the order in which it is documented.
    ///
    /// - Parameter names: The names that stand where a person gives one, below a path.
    func leaves(
        at path: SettingPath = SettingPath([]),
        named names: (SettingNaming, SettingPath) -> [String] = { naming, _ in [naming.placeholder] }
    ) -> [Leaf] {
        switch self {
        case .value(let kind, let words): [Leaf(path: path, kind: kind, default: words)]
        case .section(let parts): parts.flatMap { $0.schema.leaves(at: path + $0.name, named: names) }
        case .each(let naming, let schema): names(naming, path).flatMap { schema.leaves(at: path + $0, named: names) }
        }
    }

    /// The kind of the value at the end of a path; `nil` where the schema has none there.
    func kind(at path: SettingPath) -> SettingKind? {
        var schema = self
        for name in path.names {
            switch schema {
            case .value: return nil
            case .section(let parts):
                guard let part = parts.first(where: { $0.name == name }) else { return nil }
                schema = part.schema
            case .each(_, let each): schema = each
            }
        }
        if case .value(let kind, _) = schema { return kind }
        return nil
    }
}

extension SettingSchema {
    /// The whole configuration.
    static let root = SettingSchema.section([
        Part("data_dir", .value(.path, default: "`$XDG_DATA_HOME/hablare`, or `~/.local/share/hablare`")),
        Part(
            "default_provider",
            .section(
                ProviderUse.allCases.map { use in
                    let usual = use.usualProvider.map { "`\($0)`" }
                    return Part(use.rawValue, .value(.provider, default: usual ?? "none: `--provider` says it"))
                }
            )),
        Part(
            "network",
            .section([
                Part("connect_timeout", .value(.duration(.milliseconds(1) ... .seconds(3600)), default: "`10s`")),
                Part("idle_timeout", .value(.duration(.milliseconds(1) ... .seconds(604_800)), default: "`120s`")),
                Part("proxy", .value(.proxy, default: "what `HTTPS_PROXY` and the like say")),
                Part("no_proxy", .value(.hosts, default: "what `NO_PROXY` says")),
                Part("certificate_file", .value(.path, default: "none: the authorities of the system alone")),
            ])),
        Part("services", .each(.service, service)),
    ])

    private static let service = SettingSchema.section([
        Part("kind", .value(.choice(ServiceKind.allCases.map(\.rawValue)), default: "required of a further service")),
        Part("base_url", .value(.address, default: "the address of the kind's own service")),
        Part("model", .value(.text, default: "the provider's own")),
        Part("speech_model", .value(.text, default: "the provider's own")),
        Part("image_model", .value(.text, default: "the provider's own")),
        Part("embedding_model", .value(.text, default: "the provider's own")),
        Part("voice", .value(.text, default: "the provider's own")),
        Part("api", .value(.choice(TextInterface.allCases.map(\.rawValue)), default: "`chat`")),
        Part("needs_key", .value(.flag, default: "`true`")),
        Part("enabled", .value(.flag, default: "`true`")),
        Part("concurrency", .value(.whole(1...1000), default: "`4`")),
        Part("rate", .value(.rate, default: "no limit but the service's own")),
        Part("timeout", .value(.duration(.milliseconds(1) ... .seconds(604_800)), default: "`120s`")),
        Part("headers", .each(.header, .value(.headerValue, default: "none"))),
        Part("fallback", .value(.providers, default: "none")),
    ])
}
