import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct InitCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a service: store its key, test the key, and make the service the default.",
        discussion: """
            EXAMPLES:
              hablare init                       asks for a service and its key
              pass openai | hablare init --provider openai
              hablare init --provider ollama --model llama3.2

            The command looks for keys in the environment, and for servers on this machine (Ollama, llama.cpp). The \
            command tests the key with a call that costs nothing, and stores the key in the same place as `hablare \
            keys set`. The key cannot be passed as an argument: type the key, or pass it on standard input. The \
            service becomes the default provider of `hablare generate`. If the service has no language model, it \
            becomes the default provider of `hablare speak` instead.

            Exit status: 0 the service can be used; 1 the service does not accept the key, or the service cannot be \
            tested. If the service does not accept the key, nothing is changed. If the service cannot be tested, the \
            key and the settings are stored.
            """)

    @Option(help: "The service, such as openai. Without this option, the command asks at the terminal.")
    var provider: String?

    @Option(name: [.short, .long], help: "The model, for a service that has no default.")
    var model: String?

    @OptionGroup var configuration: ConfigurationOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let settings = try configuration.settings(in: composition)
        let name = if let provider { provider } else { try await chosen(settings, in: composition) }
        let setup = try ServiceSetup(name, settings, in: composition)
        let key = try await setup.testedKey()
        try await setup.store(key)
        let changes = try await setup.changes(model: model)
        let file = try ConfigurationFile.findOrNew(configuration.config, in: composition)
        for (path, value) in changes {
            try file.set(try SettingSchema.leaf(path), to: [value], in: composition)
            try await composition.console.print("set \(path) to \(value) in \(file.url.path)")
        }
        guard key.problem == nil else {
            composition.console.note("hablare: \(name) could not be tested: \(key.problem ?? "")")
            return .incomplete
        }
        composition.console.note("\(name) can be used. Try: \(setup.example)")
        return .success
    }

    // MARK: The choice of a service

    private func chosen(_ settings: Settings, in composition: Composition) async throws -> String {
        let entries = composition.services(settings).filter { $0.settings.isEnabled }
        let found = try await Self.found(among: entries, settings, in: composition)
        guard let ask = composition.askTerminal else {
            let names = found.isEmpty ? "" : ". Found: \(found.map(\.words).joined(separator: "; "))."
            let example = found.first.map(\.name) ?? "openai < FILE"
            throw CommandFailure(
                .usage,
                "There is no terminal to ask at. Pass --provider, and the key on standard input unless the service has one: hablare init --provider \(example)\(names)"
            )
        }
        for one in found { composition.console.note("Found \(one.words).") }
        let usual = found.first?.name ?? "openai"
        let names = entries.map(\.name)
        for _ in 0..<Self.mostQuestions {
            let line = try await ask("Service (\(names.joined(separator: ", "))) [\(usual)]: ")
            let word = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if word.isEmpty { return usual }
            if names.contains(word) { return word }
            composition.console.note(
                "There is no service \(YAMLText.shown(word)).\(NearestNames(names).hint(for: word))")
        }
        throw CommandFailure(.usage, "No service was chosen. Nothing was changed. Pass --provider NAME.")
    }

    static let mostQuestions = 3

    private struct Found: Sendable {
        let name: String
        let words: String
    }

    /// Returns the services that have a key, followed by the servers of this machine that answer.
    private static func found(
        among entries: [ServiceEntry], _ settings: Settings, in composition: Composition
    ) async throws -> [Found] {
        let keyed = entries.compactMap { entry in
            entry.key.map { Found(name: entry.name, words: "a key for \(entry.name) in \($0.origin)") }
        }
        let local = entries.filter { $0.key == nil && !$0.settings.needsKey && $0.address?.origin.isLoopback == true }
        let answering = await withTaskGroup(of: (Int, Found?).self) { group in
            for (index, entry) in local.enumerated() {
                group.addTask { (index, await answers(entry, settings, in: composition)) }
            }
            var servers: [Int: Found] = [:]
            for await (index, found) in group { servers[index] = found }
            return local.indices.compactMap { servers[$0] }
        }
        return keyed + answering
    }

    /// The maximum time for which the command waits for a server of this machine.
    private static let patience = Duration.seconds(2)

    private static func answers(_ entry: ServiceEntry, _ settings: Settings, in composition: Composition) async
        -> Found?
    {
        do {
            return try await firstValue(of: [
                {
                    let count = try await composition.listModels(entry, settings.network, composition).count
                    let models = TimeText.count(count, "model")
                    return Found(name: entry.name, words: "\(entry.name) on this machine, with \(models)")
                },
                {
                    _ = await composition.seams.clock.sleepUnlessCancelled(for: patience)
                    throw CancellationError()
                },
            ])
        } catch {
            return nil  // no such server runs, which is the usual case
        }
    }
}

/// The steps that set up a service.
struct ServiceSetup: Sendable {
    /// A key, and the result of its test.
    struct TestedKey: Sendable {
        /// The new key, which is to be stored; `nil` if the service needs no key or already has one.
        var new: APIKey?
        /// The reason why the service could not be called; `nil` if it accepts the key.
        var problem: String?
    }

    let entry: ServiceEntry
    let settings: Settings
    let composition: Composition

    init(_ name: String, _ settings: Settings, in composition: Composition) throws {
        let names = settings.services.map(\.name)
        guard let service = settings.service(name) else {
            throw CommandFailure(
                .usage,
                "There is no service \(YAMLText.shown(name)).\(NearestNames(names).hint(for: name)) Services are \(names.joined(separator: ", "))."
            )
        }
        entry = composition.entry(of: service)
        (self.settings, self.composition) = (settings, composition)
        if let problem = service.addressProblem { throw problem }
        if !service.isEnabled, let problem = entry.problem { throw problem }
    }

    private var name: String { entry.name }

    /// Returns the service's key, and tests it. If there is no key, asks the user for it.
    ///
    /// - Throws: ``CommandFailure`` if the service does not accept the key.
    func testedKey() async throws -> TestedKey {
        if entry.key == nil, !entry.settings.needsKey {
            do {
                return TestedKey(problem: try await problem(of: nil))
            } catch let failure as CommandFailure where failure.status == .incomplete {
                composition.console.note("\(name) needs a key.")
            }
        }
        if let key = entry.key, let found = try composition.credentials.credential(named: CredentialName(name)) {
            composition.console.note("Using the key \(key.shown) from \(key.origin).")
            return TestedKey(problem: try await problem(of: found.credential.key))
        }
        _ = try composition.writableKeys()
        let page = KnownService.named(name).map { "; you can create one at \($0.page)" } ?? ""
        let text = try await composition.readSecret("Key for \(name) (it is not shown\(page)): ")
        let key: APIKey
        do throws(AIServiceError) {
            key = try APIKey(text)
        } catch {
            throw CommandFailure(.badInput, "\(error.message) Nothing was stored.")
        }
        return TestedKey(new: key, problem: try await problem(of: key))
    }

    /// Calls the service, and returns the reason why this failed; `nil` if the service answers.
    private func problem(of key: APIKey?) async throws -> String? {
        do {
            if let key, let check = composition.keyChecks(settings, composition)[name] {
                if let word = try await check(key) {
                    composition.console.note("\(name) accepts the key \(key). \(word)")
                }
            } else {
                _ = try await composition.listModels(entry, settings.network, composition)
            }
            return nil
        } catch let error as AIServiceError where error.code == .unauthorized {
            let advice = key.flatMap { KnownService.advice(for: $0, of: name) }.map { " \($0)" } ?? ""
            throw CommandFailure(
                .incomplete, "\(name) does not accept the key. \(error.words)\(advice) Nothing was changed.")
        } catch let error as AIServiceError {
            return error.words
        }
    }

    func store(_ key: TestedKey) async throws {
        guard let new = key.new else { return }
        let store = try composition.writableKeys()
        let name = try CredentialName(name)
        let now = Date(timeIntervalSince1970: composition.seams.date().timeIntervalSince1970.rounded(.down))
        try await OwnThread.run { _ in try store.set(Credential(new, expires: nil, stored: now), for: name) }
        try await composition.console.print("stored the key \(new) for \(name) in \(store.source)")
    }

    private var writes: Bool { entry.settings.offers.contains { $0.answers == .text && !$0.hears } }

    /// A command with which the user can try the service.
    var example: String { writes ? "hablare generate 'Hello.'" : "hablare speak 'Hello.' -o hello.mp3" }

    /// Returns the settings that make the service the default: its model and its use. The model is set if one is given
    /// or if the service has no default model.
    func changes(model: String?) async throws -> [(path: String, value: String)] {
        guard writes else { return [("default_provider.speak", name)] }
        let model = if let model { model } else { try await missingModel() }
        let chosen = model.map { [(path: "services.\(name).model", value: $0)] } ?? []
        return chosen + [("default_provider.generate", name)]
    }

    /// Returns a model for a service that has no default model; `nil` if the service has a default.
    private func missingModel() async throws -> String? {
        let ready = composition.entry(of: entry.settings)
        let made = try composition.serviceProviders(ready, settings.network, .forAsking(), composition)
        guard let offer = entry.settings.offers.first(where: { $0.answers == .text && !$0.hears }),
            made.first(where: { $0.provider.id == entry.settings.id(of: offer) })?.problem != nil
        else { return nil }
        let models = try await listed()
        if models.count == 1 { return models.first }
        let shown = models.prefix(Self.shownModels).joined(separator: ", ")
        if let ask = composition.askTerminal, let first = models.first {
            let line = try await ask("Model (\(shown)\(models.count > Self.shownModels ? ", …" : "")) [\(first)]: ")
            let word = line.trimmingCharacters(in: .whitespacesAndNewlines)
            return word.isEmpty ? first : word
        }
        let names = models.isEmpty ? "" : ", such as \(shown)"
        throw CommandFailure(
            .usage,
            "\(name) has no default model. Run it again with --model NAME\(names): hablare init --provider \(name)")
    }

    private static let shownModels = 10

    private func listed() async throws -> [String] {
        do {
            return try await composition.listModels(entry, settings.network, composition).map(\.id)
        } catch is AIServiceError {
            return []  // the message then names no models
        }
    }
}
