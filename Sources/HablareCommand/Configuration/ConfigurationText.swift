import Foundation
import HablareProviders
import Yams

/// A reader of settings in YAML, which includes JSON. It checks every key against the schema and records the place of
/// each value.
struct ConfigurationText {
    let yaml: YAMLText

    func settings() throws -> [Setting] {
        try yaml.read { root in
            guard let root, !YAMLText.isNothing(root) else { return [] }
            return try settings(of: root, as: .root, at: SettingPath([]), source: yaml.source(root.mark))
        }
    }

    private func settings(
        of node: Node, as schema: SettingSchema, at path: SettingPath, source: SettingSource
    ) throws -> [Setting] {
        try yaml.refuseAnchor(of: node)
        switch schema {
        case .value(let kind, _): return [try value(of: node, of: kind, at: path, source: source)]
        case .section(let parts):
            return try pairs(of: node, at: path, source: source).flatMap { name, key, value in
                guard let part = parts.first(where: { $0.name == name }) else {
                    throw key.failure(Self.unknown(name, at: path, beside: parts.map(\.name)))
                }
                return try settings(of: value, as: part.schema, at: path + name, source: key)
            }
        case .each(let naming, let schema):
            return try pairs(of: node, at: path, source: source, naming).flatMap { name, key, value in
                if naming == .header, SecretNames.isSecret(name) {
                    throw key.failure("\(path + name): \(SecretNames.advice(for: path.service))")
                }
                if let problem = naming.problem(with: name) { throw key.failure("\(YAMLText.shown(name)) \(problem).") }
                let inside = try settings(of: value, as: schema, at: path + name, source: key)
                return naming != .service ? inside : [Setting(path: path + name, texts: nil, source: key)] + inside
            }
        }
    }

    private func pairs(
        of node: Node, at path: SettingPath, source: SettingSource, _ naming: SettingNaming? = nil
    ) throws -> [(name: String, source: SettingSource, value: Node)] {
        try yaml.pairs(
            of: node, source: source, subject: path.names.isEmpty ? "The file" : "\(path)",
            example: Self.example(at: path)
        ) { naming?.canonical($0) ?? $0 }
    }

    private static func example(at path: SettingPath) -> String {
        switch path.names.count {
        case 0: "default_provider: …"
        case 1 where path.names == ["services"]: "local: …"
        default: "name: value"
        }
    }

    static func unknown(_ name: String, at path: SettingPath, beside names: [String]) -> String {
        guard !SecretNames.isSecret(name) else {
            return "\(YAMLText.shown(name)): \(SecretNames.advice(for: path.service))"
        }
        let section = path.names.isEmpty ? "There is no key" : "\(path) has no key"
        return "\(section) \(YAMLText.shown(name)).\(NearestNames(names).hint(for: name))"
    }

    private func value(
        of node: Node, of kind: SettingKind, at path: SettingPath, source: SettingSource
    ) throws -> Setting {
        let own = yaml.source(node.mark)
        guard !YAMLText.isNothing(node) else {
            throw source.failure("\(path) has no value. It must be \(kind.wanted). Give a value, or remove the key.")
        }
        switch node {
        case .scalar(let scalar): return Setting(path: path, texts: [scalar.string], source: own)
        case .sequence(let sequence) where kind.isList:
            let texts = try sequence.map { element in
                try yaml.refuseAnchor(of: element)
                guard case .scalar(let scalar) = element else {
                    throw yaml.source(element.mark).failure("\(path) must be \(kind.wanted).")
                }
                return scalar.string
            }
            return Setting(path: path, texts: texts, source: own)
        default: throw own.failure("\(path) must be \(kind.wanted).")
        }
    }
}
