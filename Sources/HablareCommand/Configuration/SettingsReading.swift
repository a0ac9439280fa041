import Foundation
import HablareProviders

/// Makes typed settings of what the sources say.
struct SettingsReading {
    private let file: [FileSetting]
    private let environment: EnvironmentSettings
    private let options: [OptionSetting]
    private let sources: SettingSources

    init(file: [FileSetting], environment: EnvironmentSettings, options: [OptionSetting]) {
        self.file = file
        self.environment = environment
        self.options = options
        sources = SettingSources(file: file, environment: environment, options: options)
    }

    /// The settings.
    ///
    /// - Throws: ``CommandFailure`` for the first that cannot be read.
    func settings(in composition: Composition) throws -> Settings {
        let services = serviceNames
        let headers = environment.headers(of: services) + file.map(\.path) + options.map(\.path)
        let leaves = SettingSchema.root.leaves { naming, path in
            switch naming {
            case .service: services
            case .header: Self.names(below: path, in: headers)
            }
        }
        try environment.check(against: leaves.map(\.path))
        var values: [SettingPath: SettingValue] = [:]
        var addressProblems: [String: CommandFailure] = [:]
        for leaf in leaves {
            guard let place = sources.place(of: leaf.path), let texts = try sources.texts(of: leaf) else { continue }
            if let value = leaf.kind.value(of: texts) {
                values[leaf.path] = value
                continue
            }
            let failure = Self.malformed(leaf, texts, at: place)
            // A service that cannot be reached is of no matter to who asks another one; an option is meant for this run.
            guard leaf.kind == .address, let service = leaf.path.service, !place.isOption else { throw failure }
            addressProblems[service] = failure
        }
        var settings = Settings()
        settings.dataFolder = url(SettingPath("data_dir"), values, in: composition)
        for use in ProviderUse.allCases {
            settings.defaultProviders[use] = values[SettingPath("default_provider", use.rawValue)]?.text
        }
        settings.network = network(values, in: composition)
        settings.services = try services.map { try service($0, values, addressProblems[$0]) }
        return settings
    }

    /// Those that are always there, then a person's own, by name.
    private var serviceNames: [String] {
        let builtIn = ServiceSettings.builtIn.map(\.name)
        let written = Set(file.compactMap(\.path.service)).subtracting(builtIn)
        let known = builtIn + written.sorted()
        return builtIn + (written.union(environment.services(beside: known))).sorted()
    }

    private static func names(below path: SettingPath, in paths: [SettingPath]) -> [String] {
        let depth = path.names.count
        return Set(
            paths.filter { $0.names.count > depth && Array($0.names.prefix(depth)) == path.names }.map {
                $0.names[depth]
            }
        ).sorted()
    }

    private static func malformed(
        _ leaf: SettingSchema.Leaf, _ texts: [String], at place: SettingPlace
    ) -> CommandFailure {
        if texts.contains(where: SecretNames.looksLikeKey) {
            return place.failure("\(leaf.path): \(SecretNames.advice(for: leaf.path.service))")
        }
        let isEmpty = texts == [""]
        let reason = isEmpty ? nil : leaf.kind.reason(against: texts)
        return place.failure(
            reason.map { "\(leaf.path): \($0)" }
                ?? "\(leaf.path) \(isEmpty ? "is empty. It must" : "must") be \(leaf.kind.wanted).")
    }

    // MARK: Parts

    private func network(_ values: [SettingPath: SettingValue], in composition: Composition) -> Settings.Network {
        let path = SettingPath("network")
        var network = Settings.Network()
        if let time = values[path + "connect_timeout"]?.duration { network.connectTimeout = time }
        if let time = values[path + "idle_timeout"]?.duration { network.idleTimeout = time }
        if let proxy = values[path + "proxy"]?.text { network.proxy = proxy == "none" ? .none : .address(proxy) }
        network.withoutProxy = values[path + "no_proxy"]?.texts
        network.certificateFile = url(path + "certificate_file", values, in: composition)
        return network
    }

    private func service(
        _ name: String, _ values: [SettingPath: SettingValue], _ addressProblem: CommandFailure?
    ) throws -> ServiceSettings {
        let path = SettingPath("services", name)
        var service = ServiceSettings(name, try kind(of: name, values[path + "kind"]?.text))
        for key in service.kind.missingKeys where values[path + key] != nil {
            let problem =
                "\(path + key) means nothing: services of the kind \(service.kind.rawValue) have none. Take it out."
            throw failure(at: path + key, problem)
        }
        service.addressProblem = addressProblem
        if let address = values[path + "base_url"]?.text { service.address = address }
        service.model = values[path + "model"]?.text
        service.speechModel = values[path + "speech_model"]?.text
        service.imageModel = values[path + "image_model"]?.text
        service.embeddingModel = values[path + "embedding_model"]?.text
        service.voice = values[path + "voice"]?.text
        if let word = values[path + "api"]?.text, let interface = TextInterface(rawValue: word) {
            service.interface = interface
        }
        if let needsKey = values[path + "needs_key"]?.flag { service.needsKey = needsKey }
        if let isEnabled = values[path + "enabled"]?.flag { service.isEnabled = isEnabled }
        if let concurrency = values[path + "concurrency"]?.whole { service.concurrency = concurrency }
        service.rate = values[path + "rate"]?.number
        if let timeout = values[path + "timeout"]?.duration { service.timeout = timeout }
        let headers = path + "headers"
        for (path, value) in values where path.names.count == 4 && Array(path.names.prefix(3)) == headers.names {
            service.headers[path.names[3]] = value.text
        }
        if let fallback = values[path + "fallback"]?.texts {
            guard !fallback.contains(name) else {
                throw failure(at: path + "fallback", "\(path + "fallback") names the service itself. Name others.")
            }
            service.fallback = fallback
        }
        return service
    }

    /// The error for a setting, or for a service as a whole, that can be read and makes no sense.
    private func failure(at path: SettingPath, _ problem: String) -> CommandFailure {
        let place = sources.place(of: path) ?? file.first { $0.path == path }?.place
        return place?.failure(problem) ?? CommandFailure(.configuration, problem)
    }

    /// How a service speaks: those that are always there say it by their name.
    private func kind(of name: String, _ word: String?) throws -> ServiceKind {
        let path = SettingPath("services", name)
        let said = word.flatMap(ServiceKind.init(rawValue:))
        guard let own = ServiceKind(rawValue: name) else {
            if let said { return said }
            let kinds = ServiceKind.allCases.map(\.rawValue).joined(separator: ", ")
            let problem = "\(path) has no kind, which says how it speaks. Add one of \(kinds)."
            throw failure(at: path, problem)
        }
        guard said == nil || said == own else {
            let problem = "\(name) is of the kind \(own.rawValue). Give a service of another kind another name."
            throw failure(at: path + "kind", problem)
        }
        return own
    }

    /// A file or folder: relative to the folder of the file that says it, else to the working directory.
    private func url(
        _ path: SettingPath, _ values: [SettingPath: SettingValue], in composition: Composition
    ) -> URL? {
        guard let text = values[path]?.text, let place = sources.place(of: path) else { return nil }
        // A shell puts the home folder into an option; into a file nobody does.
        if text.hasPrefix("~/"), !place.isOption, let home = composition.environment["HOME"], home.hasPrefix("/") {
            return URL(filePath: home + text.dropFirst()).standardizedFileURL
        }
        return URL(filePath: text, relativeTo: place.folder(in: composition.workingDirectory)).absoluteURL
            .standardizedFileURL
    }
}
