import Foundation
import HablareProviders

/// The settings in environment variables. The name of a variable is `HABLARE_` and the setting's path in capitals, with
/// `_` between names and in place of hyphens. If the name of a variable resembles the name of a setting, but no setting
/// has this name, reading throws an error.
struct EnvironmentSettings {
    let variables: [String: String]

    private static let prefix = "HABLARE_"
    private static let servicesPrefix = SettingPath("services").variable + "_"

    init(_ environment: [String: String]) {
        variables = environment.filter { $0.key.hasPrefix(Self.prefix) && $0.key != ConfigurationFile.variable }
    }

    func services(beside known: [String]) -> [String] {
        let ends = "_KIND"
        let declared = variables.keys.filter { $0.hasPrefix(Self.servicesPrefix) && $0.hasSuffix(ends) }
        return declared.sorted().compactMap { variable in
            let name = Self.lowercased(variable.dropFirst(Self.servicesPrefix.count).dropLast(ends.count))
            guard !known.contains(name), SettingNaming.service.problem(with: name) == nil,
                headers(of: known).allSatisfy({ $0.variable != variable })
            else { return nil }
            return name
        }
    }

    func headers(of services: [String]) -> [SettingPath] {
        services.flatMap { service in
            ["headers", "secret_headers"].flatMap { section in
                let path = SettingPath("services", service, section)
                let start = path.variable + "_"
                return variables.keys.sorted().filter { $0.hasPrefix(start) }.map {
                    path + Self.lowercased($0.dropFirst(start.count))
                }
            }
        }
    }

    func settings(of leaves: [SettingSchema.Leaf]) throws -> [Setting] {
        try check(against: leaves.map(\.path))
        return leaves.compactMap { leaf in
            guard let text = variables[leaf.path.variable] else { return nil }
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let texts = leaf.kind.isList ? parts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } : [text]
            return Setting(path: leaf.path, texts: texts, source: .variable(leaf.path.variable))
        }
    }

    private func check(against paths: [SettingPath]) throws {
        let known = Dictionary(grouping: paths, by: \.variable)
        for variable in variables.keys.sorted() {
            let source = SettingSource.variable(variable)
            guard let meant = known[variable] else {
                if let problem = problem(with: variable, beside: paths) { throw source.failure(problem) }
                continue
            }
            if meant.count > 1 {
                let names = meant.map(\.description).sorted().joined(separator: " and ")
                throw source.failure("It is ambiguous: \(names). Unset it, and use hablare.yaml instead.")
            }
            guard let path = meant.first, let header = path.header ?? path.secretHeader else { continue }
            if path.header != nil, SecretNames.isSecret(header) {
                throw source.failure(SecretNames.advice(for: path.service))
            }
            if let problem = SettingNaming.header.problem(with: header) {
                throw source.failure("\(header) \(problem).")
            }
        }
    }

    private func problem(with variable: String, beside paths: [SettingPath]) -> String? {
        let names = paths.map(\.variable)
        let isOurs = Self.sections.contains { variable.hasPrefix($0) }
        // A service's key may be in a variable such as HABLARE_OPENAI_KEY, which is not a setting.
        guard isOurs || !variable.hasSuffix("_KEY") else { return nil }
        if isOurs, SecretNames.isSecret(variable) {
            let service =
                variable.hasPrefix(Self.servicesPrefix)
                ? paths.lazy.compactMap(\.service).first {
                    variable.hasPrefix(SettingPath("services", $0).variable + "_")
                } : nil
            return SecretNames.advice(for: service)
        }
        let near = names.filter {
            NearestNames.distance(
                String(variable.dropFirst(Self.prefix.count)), String($0.dropFirst(Self.prefix.count)))
                <= 2
        }
        guard isOurs || !near.isEmpty else { return nil }
        let further =
            variable.hasPrefix(Self.servicesPrefix)
            ? " A service of your own needs a variable for its kind, such as HABLARE_SERVICES_LOCAL_KIND." : ""
        return "Unknown setting.\(NearestNames(names).hint(for: variable))\(further)"
    }

    private static let sections = ["services", "network", "default_provider"].map { SettingPath($0).variable + "_" }

    private static func lowercased(_ text: some StringProtocol) -> String {
        text.lowercased().replacing("_", with: "-")
    }
}
