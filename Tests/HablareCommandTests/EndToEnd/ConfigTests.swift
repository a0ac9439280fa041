import Foundation
import Hablare
import HablareProviders
import HablareTestFiles
import Testing

@testable import HablareCommand

/// `hablare config` end to end.
@Suite struct ConfigTests {
    private let stage: Stage
    private var file: URL { stage.folder.url.appending(path: ".config/hablare/hablare.yaml") }

    init() throws { stage = try Stage() }

    private func write(_ text: String, to name: String = "hablare.yaml") throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private func text() throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }

    private func run(_ words: String..., environment: [String: String] = [:]) async -> CommandStatus {
        stage.clearScreen()
        var composition = stage.composition(["config"] + words)
        composition.environment.merge(environment) { $1 }
        return await HablareCommand.execute(in: composition)
    }

    @Test func `The first setting creates the file, readable by its owner alone`() async throws {
        #expect(await run("set", "services.openai.model", "gpt-x") == .success)
        #expect(stage.output == "set services.openai.model to gpt-x in \(file.path)\n")
        #expect(try text() == "services:\n  openai:\n    model: gpt-x\n")
        #expect(await run("get", "services.openai.model") == .success)
        #expect(stage.output == "gpt-x\n" && stage.errors.isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test func `Comments, order, permissions and a link to the file stay`() async throws {
        let real = stage.folder.url.appending(path: "dotfiles.yaml")
        try Data("# mine\nservices: # all\n  openai:\n    rate: 60/min # slow\nnetwork: {proxy: none}\n".utf8).write(
            to: real)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: real.path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: real)
        #expect(await run("set", "services.openai.fallback", "anthropic, local") == .success)
        #expect(await run("set", "network.idle_timeout", "5m") == .success)
        #expect(await run("set", "services.openai.rate", "90/min") == .success, "\(stage.errors)")
        #expect(
            String(decoding: try Data(contentsOf: real), as: UTF8.self)
                == "# mine\nservices: # all\n  openai:\n    rate: 90/min # slow\n    fallback: [anthropic, local]\nnetwork: {proxy: none, idle_timeout: 5m}\n"
        )
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == real.path)
        let mode = try FileManager.default.attributesOfItem(atPath: real.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o644)
    }

    @Test func `JSON settings are changed as JSON`() async throws {
        try write(#"{"network": {"proxy": "none"}}"#, to: "hablare.json")
        #expect(await run("set", "network.no_proxy", "a.example,b.example") == .success)
        let data = try Data(contentsOf: file.deletingLastPathComponent().appending(path: "hablare.json"))
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"network": {"proxy": "none", "no_proxy": ["a.example", "b.example"]}}"#)
        #expect(await run("get", "network.no_proxy") == .success && stage.output == "a.example,b.example\n")
    }

    @Test(arguments: [
        ("netwrok.proxy", "none", "There is no key netwrok. Did you mean network?"),
        ("network.proxi", "none", "network has no key proxi. Did you mean proxy?"),
        ("proxy", "none", "Did you mean network.proxy?"),
        ("network", "none", "network is a section. Give a key of it, such as network.connect_timeout"),
        ("network.proxy.x", "none", "network.proxy is a value and has no keys."),
        ("services.Open AI.model", "x", "is not a valid service name"),
        ("services.openai.headers.authorization", "x", "hablare keys set openai"),
        ("services.openai.api_key", "x", "hablare keys set openai"),
        ("services.openai.rate", "fast", "services.openai.rate must be a number of calls"),
        ("services.openai.rate", "", "services.openai.rate is empty"),
        ("services.openai.model", "sk-abcdefghijklmnopqrstuv", "hablare keys set openai"),
        ("services.openai.fallback", "a,,b", "services.openai.fallback must be names of providers"),
        ("services.openai.kind", "anthropic", "openai has the kind openai"),
        ("services.mine.model", "x", "services.mine has no kind"),
        ("services.anthropic.api", "chat", "services of the kind anthropic do not have it"),
    ])
    func `A bad key or value changes nothing`(key: String, value: String, problem: String) async throws {
        try write("# mine\n")
        let status = await run("set", key, value)
        #expect(status == .usage || status == .configuration)
        #expect(stage.errors.contains(problem), "\(stage.errors)")
        #expect(!stage.errors.contains("sk-abc"))
        #expect(try text() == "# mine\n")
    }

    @Test func `A file that is invalid already, or written in an unknown form, is not changed`() async throws {
        try write("network: {proxi: none}\n")
        #expect(await run("set", "network.proxy", "none") == .configuration)
        #expect(stage.errors.contains("Line 1, column 11"))
        try write("data_dir: |\n  /x\n")
        #expect(await run("set", "network.proxy", "none") == .configuration)
        #expect(try text() == "data_dir: |\n  /x\n")
        // The parser joins both lines into one value, which a change of the first would leave half behind.
        try write("data_dir: /x\n  y\n")
        #expect(await run("set", "data_dir", "/z") == .configuration)
        #expect(stage.errors.contains("hablare config edit"), "\(stage.errors)")
        #expect(try text() == "data_dir: /x\n  y\n")
    }

    @Test func `A setting that is not set has its default and status 1`() async throws {
        #expect(await run("get", "default_provider.generate") == .incomplete)
        #expect(stage.output.isEmpty)
        #expect(
            stage.errors.contains("is not set. Its default: the provider that can be called, if there is exactly one"))
        #expect(await run("get", "network.nothing") == .usage)
    }

    @Test func `The list says where each setting is`() async throws {
        try write("services:\n  openai: {model: gpt-x}\n")
        let variables = ["HABLARE_NETWORK_PROXY": "none"]
        #expect(await run("list", environment: variables) == .success)
        #expect(stage.output.contains("services.openai.model") && stage.output.contains("hablare.yaml:2"))
        #expect(stage.output.contains("HABLARE_NETWORK_PROXY") && !stage.output.contains("data_dir"))
        #expect(await run("list", "--all", environment: variables) == .success)
        #expect(stage.output.contains("default: espeak-ng") && stage.output.contains("services.NAME.rate"))
        #expect(await run("list", "--json", environment: variables) == .success)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
        #expect(rows.count == 2)
        #expect(rows.contains { $0["key"] as? String == "network.proxy" && $0["value"] as? String == "none" })
        #expect(await run("set", "network.proxy", "http://p.example:1", environment: variables) == .success)
        #expect(stage.errors.contains("The variable HABLARE_NETWORK_PROXY takes precedence"))
    }

    @Test func `The path is printed before there is a file`() async throws {
        #expect(await run("path") == .success && stage.output == "\(file.path)\n")
        #expect(await run("path", "--config", "mine.yaml") == .success)
        #expect(stage.output == "\(stage.folder.url.appending(path: "mine.yaml").path)\n")
        #expect(await run("set", "network.proxy", "none", "--config", "mine.yaml") == .success)
        #expect(try stage.file("mine.yaml") == Data("network:\n  proxy: none\n".utf8))
    }

    // MARK: edit

    private func edit(writing text: String?, status: Int32 = 0, editor: String = "ed -x") async -> CommandStatus {
        stage.clearScreen()
        var composition = stage.composition(["config", "edit"])
        composition.environment["VISUAL"] = ""
        composition.environment["EDITOR"] = editor
        composition.runEditor = { command, file in
            guard command == editor else { return 99 }
            if let text { try Data(text.utf8).write(to: file) }
            return status
        }
        return await HablareCommand.execute(in: composition)
    }

    @Test func `An edited file is checked, and an invalid text is kept`() async throws {
        #expect(await edit(writing: "network: {proxy: none}\n") == .success)
        #expect(stage.errors == "\(file.path) is valid.\n")
        let invalid = "# long work\nnetwork: {proxi: none}\n"
        #expect(await edit(writing: invalid) == .configuration)
        #expect(stage.errors.contains("Line 2, column 11: network has no key proxi."))
        #expect(stage.errors.contains("Your text is kept. To correct it: hablare config edit"))
        #expect(try text() == invalid)
    }

    @Test func `An editor that fails or is missing is reported`() async throws {
        #expect(await edit(writing: nil, status: 1) == .incomplete)
        #expect(stage.errors.contains("The editor ed -x ended with status 1."))
        #expect(await edit(writing: nil, status: 127) == .incomplete)
        #expect(stage.errors.contains("was not found. Set VISUAL or EDITOR"))
        #expect(await edit(writing: nil) == .success)
        #expect(stage.errors.contains("nothing is set"))
    }

    @Test func `The shell finds the editor, and a file's name may have spaces`() async throws {
        let file = stage.folder.url.appending(path: "my settings.yaml")
        let status = try await Editor.run("printf '%s' 'network: {}' >", on: file)
        #expect(status == 0)
        #expect(try Data(contentsOf: file) == Data("network: {}".utf8))
        #expect(try await Editor.run("exit 3 #", on: file) == 3)
        #expect(Editor.command(["VISUAL": " ", "EDITOR": "nano"]) == "nano")
        #expect(Editor.command([:]) == "vi")
    }
}
