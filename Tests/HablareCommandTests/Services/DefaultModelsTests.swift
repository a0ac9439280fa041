import Foundation
import Hablare
import HablareProviders
import Testing

@testable import HablareCommand

/// The models that are used if neither the user nor the settings name one.
@Suite struct DefaultModelsTests {
    private let catalog = ModelCatalog.shipped

    /// Returns the providers of all services and presets without settings, each with its service.
    private func installed() throws -> [(provider: InstalledProvider, service: ServiceSettings)] {
        let desk = try SettingsDesk()
        let services = ServiceSettings.builtIn.map { service in
            let address = service.preset?.needsAddress == true ? ", base_url: \"https://mine.example/v1\"" : ""
            return "  \(service.name): {needs_key: false\(address)}\n"
        }
        try desk.write("services:\n\(services.joined())")
        let directory = try ProviderDirectory(try desk.read(), .forAsking(), in: desk.composition())
        return directory.everybody().providers.compactMap { provider in
            ServiceSettings.builtIn.first { $0.name == provider.service }.map { (provider, $0) }
        }
    }

    @Test func `No default of a service or a preset has ended, or ends within half a year of the list's day`() throws {
        let today = try #require(UTCDay(catalog.date)).start
        let installed = try installed()
        #expect(Set(installed.map(\.service.name)) == Set(ServiceSettings.builtIn.map(\.name)))
        var defaults = 0
        for (provider, service) in installed {
            guard let id = provider.provider.defaultModel, !id.isEmpty else { continue }
            let model = try #require(catalog.model(id, of: service.kind.rawValue), "\(provider.name): \(id)")
            #expect(model.standing(at: today) == .current, "\(provider.name): \(id)")
            #expect(service.preset == nil, "\(provider.name): the models of a preset are not known")
            defaults += 1
        }
        #expect(defaults >= 8)
    }

    @Test func `The documentation has the default models of the list`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let document = try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
        func row(_ start: String) throws -> Substring {
            try #require(document.split(separator: "\n").first { $0.hasPrefix("| the \(start)") })
        }
        for (vendor, start) in [
            ("openai", "service `openai`"), ("anthropic", "kind `anthropic`"), ("elevenlabs", "kind `elevenlabs`"),
        ] {
            let row = try row(start)
            let named = row.split(separator: "|").last.map { $0.split(separator: "`").enumerated() }
            let models = Set(named?.filter { $0.offset % 2 == 1 }.map { String($0.element) } ?? [])
            let kinds = ModelInformation.Kind.allCases.compactMap { catalog.defaultModel($0, of: vendor) }
            #expect(models == Set(kinds), "\(row)")
        }
    }
}
