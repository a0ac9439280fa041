import Foundation
import HablareProviders

struct SettingsReading {
    private let composition: Composition
    private let services: [String]
    let leaves: [SettingSchema.Leaf]
    /// The settings, each from its source with the highest precedence, and the sections that the user named.
    private let said: [SettingPath: Setting]
    private var values: [SettingPath: SettingValue] = [:]
    private var addressProblems: [String: CommandFailure] = [:]

    init(file: [Setting], options: [Setting], in composition: Composition) throws {
        self.composition = composition
        let environment = EnvironmentSettings(composition.environment)
        let builtIn = ServiceSettings.builtIn.map(\.name)
        let written = Set(file.compactMap(\.path.service)).subtracting(builtIn)
        let declared = environment.services(beside: builtIn + written.sorted())
        let services = builtIn + written.union(declared).sorted()
        let headers = environment.headers(of: services) + (file + options).map(\.path)
        let leaves = SettingSchema.root.leaves { naming, path in
            switch naming {
            case .service: services
            case .header: Set(headers.filter { $0.service == path.service }.compactMap(\.header)).sorted()
            case .secretHeader: Set(headers.filter { $0.service == path.service }.compactMap(\.secretHeader)).sorted()
            }
        }
        self.services = services
        self.leaves = leaves
        let variables = try environment.settings(of: leaves)
        said = Dictionary((file + variables + options).map { ($0.path, $0) }) { $1 }
        for leaf in leaves { try read(leaf) }
    }

    private mutating func read(_ leaf: SettingSchema.Leaf) throws {
        guard let setting = said[leaf.path], let texts = setting.texts else { return }
        if let value = leaf.kind.value(of: texts) {
            values[leaf.path] = value
            return
        }
        let failure = Self.malformed(leaf, texts, at: setting.source)
        // An unreachable service must not fail a run that asks another one. An option applies to this run, so its error
        // is thrown.
        guard leaf.kind == .address, let service = leaf.path.service, !setting.source.isOption else { throw failure }
        addressProblems[service] = failure
    }

    static func malformed(
        _ leaf: SettingSchema.Leaf, _ texts: [String], at source: SettingSource
    ) -> CommandFailure {
        if texts.contains(where: SecretNames.looksLikeKey) {
            return source.failure("\(leaf.path): \(SecretNames.advice(for: leaf.path.service))")
        }
        if texts == [""] { return source.failure("\(leaf.path) is empty. It must be \(leaf.kind.wanted).") }
        if let reason = leaf.kind.reason(against: texts) { return source.failure("\(leaf.path): \(reason)") }
        return source.failure("\(leaf.path) must be \(leaf.kind.wanted).")
    }

    /// Returns a setting from its source with the highest precedence; `nil` if it is not set.
    func setting(at path: SettingPath) -> Setting? { said[path].flatMap { $0.texts == nil ? nil : $0 } }

    func settings() throws -> Settings {
        var settings = Settings()
        settings.dataFolder = url(SettingPath("data_dir"))
        for use in ProviderUse.allCases {
            settings.defaultProviders[use] = values[SettingPath("default_provider", use.rawValue)]?.text
        }
        settings.network = network()
        settings.services = try services.map(service)
        return settings
    }

    private func network() -> Settings.Network {
        let path = SettingPath("network")
        var network = Settings.Network()
        if let time = values[path + "connect_timeout"]?.duration { network.connectTimeout = time }
        if let time = values[path + "idle_timeout"]?.duration { network.idleTimeout = time }
        if let proxy = values[path + "proxy"]?.text { network.proxy = proxy == "none" ? .none : .address(proxy) }
        network.withoutProxy = values[path + "no_proxy"]?.texts
        network.certificateFile = url(path + "certificate_file")
        return network
    }

    private func service(_ name: String) throws -> ServiceSettings {
        let path = SettingPath("services", name)
        let preset = try preset(of: name)
        var service = ServiceSettings(name, try kind(of: name, preset), preset)
        for key in service.kind.missingKeys where hasValue(in: path + key) {
            let problem =
                "\(path + key) has no effect: services of the kind \(service.kind.rawValue) do not have it. Remove it."
            throw failure(at: path + key, problem)
        }
        if let address = values[path + "base_url"]?.text {
            service.address = address
            service.addressProblem = nil
        }
        service.addressProblem = addressProblems[name] ?? service.addressProblem
        for key in ["model", "speech_model", "image_model", "embedding_model", "transcription_model"] {
            service.models[key] = values[path + key]?.text
        }
        service.voice = values[path + "voice"]?.text
        if let interface = values[path + "api"]?.text.flatMap(TextInterface.init) { service.interface = interface }
        service.batches = values[path + "batches"]?.flag
        if let needsKey = values[path + "needs_key"]?.flag { service.needsKey = needsKey }
        if let isEnabled = values[path + "enabled"]?.flag { service.isEnabled = isEnabled }
        if let concurrency = values[path + "concurrency"]?.whole { service.concurrency = concurrency }
        service.rate = values[path + "rate"]?.number
        if let timeout = values[path + "timeout"]?.duration { service.timeout = timeout }
        for (path, value) in values where path.service == name {
            if let header = path.header { service.headers[header] = value.text }
            if let header = path.secretHeader { service.secretHeaders[header] = value.text }
        }
        service.compatibility = quirks(of: service)
        if let fallback = values[path + "fallback"]?.texts {
            guard !fallback.contains(name) else {
                throw failure(
                    at: path + "fallback",
                    """
                    \(path + "fallback") names the service itself. Name other providers.
                    """)
            }
            service.fallback = fallback
        }
        return service
    }

    private func hasValue(in path: SettingPath) -> Bool {
        values.keys.contains { $0.names.starts(with: path.names) }
    }

    /// Returns a service's differences from OpenAI: those of its preset or of its address, changed by the settings.
    private func quirks(of service: ServiceSettings) -> OpenAICompatibility? {
        let path = SettingPath("services", service.name, "quirks")
        guard hasValue(in: path) else { return service.compatibility }
        let isOpenAI = service.address == ServiceKind.openai.address
        var quirks = service.compatibility ?? (isOpenAI ? .openAI : .others)
        func word<Word: RawRepresentable<String>>(_ name: String) -> Word? {
            values[path + name]?.text.flatMap(Word.init)
        }
        quirks.tokenLimit = word("token_limit") ?? quirks.tokenLimit
        quirks.streamsUsage = values[path + "stream_usage"]?.flag ?? quirks.streamsUsage
        quirks.structure = word("structured") ?? quirks.structure
        quirks.takesTools = values[path + "tools"]?.flag ?? quirks.takesTools
        quirks.systemRole = word("system_role") ?? quirks.systemRole
        quirks.seedName = word("seed") ?? quirks.seedName
        quirks.encodesVectors = values[path + "base64_vectors"]?.flag ?? quirks.encodesVectors
        quirks.returnsReasoning = values[path + "return_reasoning"]?.flag ?? quirks.returnsReasoning
        quirks.fitsSchemas = values[path + "fit_schemas"]?.flag ?? quirks.fitsSchemas
        quirks.textsPerCall = values[path + "texts_per_call"]?.whole ?? quirks.textsPerCall
        return quirks
    }

    /// Returns the preset of a service. By default, the service's name decides, unless the service has another kind.
    private func preset(of name: String) throws -> OpenAIPreset? {
        let path = SettingPath("services", name)
        let kind = values[path + "kind"]?.text
        if let said = values[path + "preset"]?.text {
            guard kind == nil || kind == ServiceKind.openai.rawValue, ServiceKind(rawValue: name) == nil else {
                throw failure(
                    at: path + "preset",
                    "\(path + "preset") is for services of the kind openai with a name of their own. Take it out.")
            }
            return OpenAIPreset.named(said)
        }
        return kind == nil || kind == ServiceKind.openai.rawValue ? OpenAIPreset.named(name) : nil
    }

    /// Returns the kind of a service: the API that it has. For a built-in service, its name determines the kind.
    private func kind(of name: String, _ preset: OpenAIPreset?) throws -> ServiceKind {
        let path = SettingPath("services", name)
        let said = values[path + "kind"]?.text.flatMap(ServiceKind.init)
        guard let own = ServiceKind(rawValue: name) else {
            if let said { return said }
            if preset != nil { return .openai }
            let kinds = ServiceKind.allCases.map(\.rawValue).joined(separator: ", ")
            let near = NearestNames(OpenAIPreset.all.map(\.id)).nearest(to: name)
            let hint = near.isEmpty ? "" : " Did you mean \(near.joined(separator: ", "))?"
            throw failure(
                at: path, "\(path) has no kind, which selects the API. Add one of \(kinds), or a preset.\(hint)")
        }
        guard said == nil || said == own else {
            let problem = "\(name) has the kind \(own.rawValue). Give a service of another kind another name."
            throw failure(at: path + "kind", problem)
        }
        return own
    }

    private func failure(at path: SettingPath, _ problem: String) -> CommandFailure {
        said[path]?.source.failure(problem) ?? CommandFailure(.configuration, problem)
    }

    /// Returns the URL of a file or folder. If the settings file contains the path, the path is relative to the folder
    /// of the settings file. Otherwise it is relative to the working directory.
    private func url(_ path: SettingPath) -> URL? {
        guard let text = values[path]?.text, let source = said[path]?.source else { return nil }
        if text.hasPrefix("~/"), !source.isOption, let home = composition.environment["HOME"], home.hasPrefix("/") {
            return URL(filePath: home + text.dropFirst()).standardizedFileURL
        }
        return URL(filePath: text, relativeTo: source.folder(in: composition.workingDirectory)).absoluteURL
            .standardizedFileURL
    }
}
