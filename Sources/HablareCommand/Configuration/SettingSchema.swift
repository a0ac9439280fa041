import HablareProviders

/// The schema of the configuration. This one table is used for reading, checking and documentation.
indirect enum SettingSchema: Sendable {
    case value(SettingKind, default: String)
    case section([(name: String, schema: SettingSchema)])
    case each(SettingNaming, SettingSchema)

    /// A value of the schema. In place of names that the user chooses, it has ``SettingNaming/placeholder``.
    struct Leaf: Sendable {
        let path: SettingPath
        let kind: SettingKind
        let `default`: String
    }

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
}

extension SettingSchema {
    /// Returns the value that a key names, such as `services.openai.model`.
    ///
    /// - Throws: ``CommandFailure`` with the nearest keys if there is no such key.
    static func leaf(_ key: String) throws -> Leaf {
        let source = SettingSource.option("The key")
        let names = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var (schema, path) = (root, SettingPath([]))
        for (index, name) in names.enumerated() {
            switch schema {
            case .section(let parts):
                guard let part = parts.first(where: { $0.name == name }) else {
                    throw source.failure(
                        unknown(name, at: path, beside: parts.map(\.name), isLast: index == names.count - 1))
                }
                (schema, path) = (part.schema, path + name)
            case .each(let naming, let inner):
                let canonical = naming.canonical(name)
                if naming == .header, SecretNames.isSecret(name) {
                    throw source.failure(SecretNames.advice(for: path.service))
                }
                if let problem = naming.problem(with: canonical) {
                    throw source.failure("\(YAMLText.shown(name)) \(problem).")
                }
                (schema, path) = (inner, path + canonical)
            case .value: throw source.failure("\(path) is a value and has no keys.")
            }
        }
        guard case .value(let kind, let words) = schema else {
            let keys = schema.leaves(at: path).map(\.path.description)
            throw source.failure(
                "\(path) is a section. Give a key of it, such as \(keys.prefix(3).joined(separator: ", ")).")
        }
        return Leaf(path: path, kind: kind, default: words)
    }

    private static func unknown(_ name: String, at path: SettingPath, beside names: [String], isLast: Bool) -> String {
        let whole = root.leaves().map(\.path).filter { path.names.isEmpty && isLast && $0.names.last == name }
        guard whole.isEmpty else {
            return
                "There is no key \(name). Did you mean \(whole.prefix(3).map(\.description).joined(separator: ", "))?"
        }
        return ConfigurationText.unknown(name, at: path, beside: names)
    }

    static let root = SettingSchema.section([
        ("data_dir", .value(.path, default: "`$XDG_DATA_HOME/hablare`, or `~/.local/share/hablare`")),
        (
            "default_provider",
            .section(
                ProviderUse.allCases.map { use in
                    let usual = use.usualProvider.map { "`\($0)`" }
                    return (use.rawValue, .value(.provider, default: usual ?? unnamed))
                })
        ),
        (
            "network",
            .section([
                ("connect_timeout", .value(.duration(.milliseconds(1) ... .seconds(3600)), default: "`10s`")),
                ("idle_timeout", .value(.duration(.milliseconds(1) ... .seconds(604_800)), default: "`120s`")),
                ("proxy", .value(.proxy, default: "the variables `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`")),
                ("no_proxy", .value(.hosts, default: "the variable `NO_PROXY`")),
                ("certificate_file", .value(.path, default: "none")),
            ])
        ),
        ("services", .each(.service, service)),
    ])

    private static let unnamed = "the provider that can be called, if there is exactly one"

    private static func quirk(_ kind: SettingKind, _ value: String) -> SettingSchema {
        .value(kind, default: "the value of the preset; without a preset: \(value)")
    }

    private static func quirkChoice<Words: RawRepresentable<String> & CaseIterable>(
        _ words: Words.Type, _ value: String
    ) -> SettingSchema {
        quirk(.choice(Words.allCases.map(\.rawValue)), value)
    }

    private static let service = SettingSchema.section([
        ("kind", .value(.choice(ServiceKind.allCases.map(\.rawValue)), default: "required for a service of your own")),
        ("preset", .value(.preset, default: "the preset that has the service's name, if there is one")),
        ("base_url", .value(.address, default: "the vendor's address")),
        ("model", .value(.text, default: "the default of the provider")),
        ("speech_model", .value(.text, default: "the default of the provider")),
        ("image_model", .value(.text, default: "the default of the provider")),
        ("embedding_model", .value(.text, default: "the default of the provider")),
        ("transcription_model", .value(.text, default: "the default of the provider")),
        ("voice", .value(.text, default: "the default of the provider")),
        ("api", .value(.choice(TextInterface.allCases.map(\.rawValue)), default: "`chat`")),
        ("batches", .value(.flag, default: "`true` at the vendor's own address")),
        ("needs_key", .value(.flag, default: "`true`")),
        ("enabled", .value(.flag, default: "`true`")),
        ("concurrency", .value(.whole(1...1000), default: "`4`")),
        ("rate", .value(.rate, default: "only the service's own limit")),
        ("timeout", .value(.duration(.milliseconds(1) ... .seconds(604_800)), default: "`120s`")),
        ("headers", .each(.header, .value(.headerValue, default: "none"))),
        ("secret_headers", .each(.secretHeader, .value(.credential, default: "none"))),
        (
            "quirks",
            .section([
                (
                    "token_limit",
                    quirkChoice(
                        OpenAICompatibility.TokenLimit.self,
                        "`max_completion_tokens` at OpenAI's own address, otherwise `max_tokens`")
                ),
                ("stream_usage", quirk(.flag, "`true`")),
                ("structured", quirkChoice(OpenAICompatibility.Structure.self, "`json_schema`")),
                ("tools", quirk(.flag, "`true`")),
                ("system_role", quirkChoice(OpenAICompatibility.SystemRole.self, "`system`")),
                ("seed", quirkChoice(OpenAICompatibility.SeedName.self, "`seed`")),
                ("base64_vectors", quirk(.flag, "`true` at OpenAI's own address, otherwise `false`")),
                ("return_reasoning", quirk(.flag, "`false`")),
                ("fit_schemas", quirk(.flag, "`true` at OpenAI's own address, otherwise `false`")),
                ("texts_per_call", quirk(.whole(1...2048), "`2048` at OpenAI's own address, otherwise `64`")),
            ])
        ),
        ("fallback", .value(.providers, default: "none")),
    ])
}

enum SettingNaming: Sendable, Hashable {
    case service, header, secretHeader

    var placeholder: String {
        switch self {
        case .service: "NAME"
        case .header, .secretHeader: "HEADER"
        }
    }

    /// Returns a name in the form in which it is stored. Names of headers are stored in lower case.
    func canonical(_ name: String) -> String {
        switch self {
        case .service: name
        case .header, .secretHeader: name.lowercased()
        }
    }

    /// Returns the problem with a stored name, as the end of a sentence; `nil` if the name is valid.
    func problem(with name: String) -> String? {
        switch self {
        case .service:
            guard name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) == nil || name.count > 32 else { return nil }
            return "is not a valid service name: use lowercase letters, digits and hyphens between them, at most 32"
        case .header, .secretHeader:
            guard name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, name.count <= 64 else {
                return "is not a valid header name: use letters, digits and hyphens between them, at most 64"
            }
            guard !Self.ownHeaders.contains(name) else { return "is a header that hablare sets itself: remove it" }
            guard self == .header || name != "authorization" else {
                return "is the header of the service's own key: remove it, and use hablare keys set"
            }
            return nil
        }
    }

    private static let ownHeaders: Set<String> = [
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect",
        "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
