import Foundation
import Hablare
import HablareProviders
import HablareSupport
import HablareTestFiles
import Testing

@testable import HablareCommand

/// `hablare keys` end to end, with a file in a folder of the test's own.
@Suite struct KeysCommandTests {
    private static let key = "sk-proj-gorgonzola-c1f2"
    private static let now = Date(timeIntervalSince1970: 1_795_000_000.75)
    private let stage: Stage
    private var file: URL { stage.folder.url.appending(path: ".config/hablare/credentials.json") }

    init() throws {
        var seams = EngineSeams()
        seams.date = { Self.now }
        stage = try Stage(seams: seams)
    }

    private func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:],
        checks: [String: KeyCheck] = [:]
    ) async -> CommandStatus {
        stage.clearScreen()
        var composition = stage.composition(["keys"] + arguments, input: input)
        composition.environment.merge(environment) { $1 }
        composition.keyChecks = { _, _ in checks }
        return await HablareCommand.execute(in: composition)
    }

    // MARK: set

    @Test func `A key is stored and shown only by its ends`() async throws {
        #expect(await run("set", "openai", input: Self.key + "\n") == .success)
        #expect(stage.output == "stored the key sk-…c1f2 for openai in \(file.path)\n")
        #expect(stage.errors.isEmpty)
        let found = try FileCredentials(file).credential(named: CredentialName("openai"))
        #expect(found?.credential.key.secret == Self.key)
        #expect(found?.credential.stored == Date(timeIntervalSince1970: 1_795_000_000))
        #expect(found?.credential.expires == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test func `A key replaces the previous one`() async throws {
        #expect(await run("set", "openai", input: Self.key) == .success)
        #expect(await run("set", "openai", input: "sk-roquefort-0123456789") == .success)
        #expect(stage.output == "stored the key sk-…6789 for openai in \(file.path), replacing sk-…c1f2\n")
        #expect(await run("set", "openai", input: "sk-roquefort-0123456789") == .success)
        #expect(stage.output.contains("; it was already stored"))
        #expect(await run("set", "openai", "--account", "work", input: Self.key) == .success)
        #expect(stage.output.contains("for openai (work)"))
        #expect(try FileCredentials(file).list().count == 2)
    }

    @Test func `A key expires at the beginning of a future day`() async throws {
        #expect(await run("set", "openai", "--expires", "2027-01-01", input: Self.key) == .success)
        let found = try FileCredentials(file).credential(named: CredentialName("openai"))
        #expect(found?.credential.expires == Date(timeIntervalSince1970: 1_798_761_600))
        #expect(await run("set", "openai", "--expires", "2026-11-18", input: Self.key) == .usage)
        #expect(stage.errors.contains("has already begun"))
        for day in ["tomorrow", "2027-02-30", "2027-1-1", ""] {
            #expect(await run("set", "openai", "--expires", day, input: Self.key) == .usage, "\(day)")
            #expect(stage.errors.contains("--expires must be a day such as 2027-01-01."))
        }
    }

    @Test(arguments: [
        "", " \n", "sk-gorgonzola\nsecond-line", "sk-gorgonzola 0123", "sk-gorgonzola\u{1}", "sk-görgonzola",
        String(repeating: "gorgonzola", count: 500),
    ])
    func `An invalid key is refused, not repeated, and changes nothing`(input: String) async throws {
        #expect(await run("set", "openai", input: input) == .badInput)
        #expect(stage.errors.hasPrefix("hablare: ") && stage.errors.contains("Nothing was stored."))
        #expect(!stage.errors.contains("gonzola"))
        #expect(stage.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `A key of another form is stored with a warning`() async throws {
        #expect(await run("set", "anthropic", input: Self.key) == .success)
        #expect(stage.errors.contains("Keys of Anthropic begin with sk-ant-, but this one does not."))
        #expect(stage.errors.contains("It looks like a key of OpenAI."))
        #expect(try FileCredentials(file).list().count == 1)
    }

    @Test func `A key in the environment that takes precedence is reported`() async throws {
        let environment = ["OPENAI_API_KEY": "sk-emmental-0123456789"]
        #expect(await run("set", "openai", input: Self.key, environment: environment) == .success)
        #expect(
            stage.errors
                == "The key for openai in the environment variable OPENAI_API_KEY takes precedence while it is set.\n"
        )
        #expect(await run("delete", "openai", environment: environment) == .success)
        #expect(stage.errors.contains("The key for openai in the environment variable OPENAI_API_KEY takes precedence"))
    }

    // MARK: Keys in arguments

    @Test(arguments: [
        ["set", "openai", "sk-proj-gorgonzola-c1f2"], ["set", "sk-proj-gorgonzola-c1f2"],
        ["set", "sk-proj-gorgonzola-c1f2", "openai"], ["set", "sk_gorgonzola"], ["set", "openai", "gorgonzola"],
        ["set", "GorgonzolaGorgonzola"], ["set", "openai", "--account", "work", "sk-gorgonzola"],
    ])
    func `A key as an argument is refused with the advice to replace it, without being repeated`(
        arguments: [String]
    ) async throws {
        var composition = stage.composition(["keys"] + arguments, input: Self.key)
        composition.readSecret = { _ in
            Issue.record("It asks for the key.")
            return ""
        }
        #expect(await HablareCommand.execute(in: composition) == .usage)
        #expect(stage.errors.contains("A key cannot be an argument"))
        #expect(stage.errors.contains("create a new one"))
        #expect(!(stage.errors + stage.output).lowercased().contains("gorgonzola"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(arguments: [
        ["set", "openai", "--key", "sk-gorgonzola-c1f2"], ["set", "openai", "--key=sk-gorgonzola-c1f2"],
        ["set", "--sk-gorgonzola-c1f2"], ["set", "openai", "--expires", "sk-gorgonzola-c1f2"],
        ["set", "openai", "--account", "sk-gorgonzola/c1f2"], ["sk-gorgonzola-c1f2"], ["list", "sk-gorgonzola-c1f2"],
        ["test", "openai", "sk-gorgonzola-c1f2"], ["test", "sk-gorgonzola-c1f2"], ["delete", "sk-gorgonzola-c1f2"],
        ["delete", "openai", "sk-gorgonzola-c1f2"], ["list", "--json=sk-gorgonzola-c1f2"], ["list", "gorgonzola"],
        ["set", "openai", "-sk-gorgonzola-c1f2"], ["help", "sk-gorgonzola-c1f2"],
    ])
    func `No usage error repeats a possible key`(arguments: [String]) async throws {
        let stage = stage
        let composition = stage.composition(["keys"] + arguments)
        let status = await HablareCommand.execute(in: composition)
        #expect(status == .usage || arguments.first == "help")
        #expect(!(stage.errors + stage.output).contains("gorgonzola"), "\(stage.errors)")
    }

    @Test(arguments: [
        ["set", hex], ["test", hex], ["delete", hex], ["list", hex], ["set", "openai", hex], ["test", "openai", hex],
        ["delete", "openai", hex], ["set", "openai", "--account", hex], ["test", "openai", "--account", hex],
        ["delete", "openai", "--account", hex],
    ])
    func `A key that could be a name is treated as a key`(arguments: [String]) async throws {
        let stage = stage
        let composition = stage.composition(["keys"] + arguments, input: Self.key)
        #expect(await HablareCommand.execute(in: composition) == .usage)
        #expect(!(stage.errors + stage.output).contains(Self.hex), "\(stage.errors)")
        #expect(arguments[0] == "list" || stage.errors.contains("in your shell's history"))
        #expect(await run("list") == .success)
        #expect(stage.output.isEmpty, "nothing is stored")
    }

    private static let hex = "0123456789abcdef0123456789abcdef"

    // MARK: list

    @Test func `All keys are listed with their place, and none is shown`() async throws {
        #expect(await run("list") == .success)
        #expect(stage.output.isEmpty && stage.errors.contains("There are no keys."))
        _ = await run("set", "openai", input: Self.key)
        _ = await run("set", "openai", "--account", "work", "--expires", "2027-01-01", input: "sk-roquefort-0123456789")
        let environment = ["OPENAI_API_KEY": "sk-emmental-0123456789", "HABLARE_LOCAL_KEY": "x"]
        #expect(await run("list", environment: environment) == .success)
        let rows = stage.output.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        #expect(
            rows.map { $0.prefix(3).joined(separator: " ") } == [
                "SERVICE ACCOUNT KEY", "local - …", "openai - sk-…6789", "openai - sk-…c1f2", "openai work sk-…6789",
            ])
        #expect(stage.output.contains("(not used)"))
        #expect(stage.output.contains("2026-11-18T11:06:40Z") && stage.output.contains("2027-01-01T00:00:00Z"))
        for secret in ["gorgonzola", "roquefort", "emmental"] { #expect(!stage.output.contains(secret)) }
    }

    @Test func `The JSON lists the same keys`() async throws {
        let past = try Credential(APIKey(Self.key), expires: Date(timeIntervalSince1970: 1_794_000_000), stored: nil)
        try FileCredentials(file).set(past, for: CredentialName("openai", account: "work"))
        #expect(await run("list", "--json", environment: ["OPENAI_API_KEY": "sk-emmental-0123456789"]) == .success)
        let rows = try #require(
            JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: any Sendable]])
        try #require(rows.count == 2)
        #expect(rows[0]["service"] as? String == "openai" && rows[0]["account"] == nil)
        #expect(rows[0]["from"] as? String == "environment" && rows[0]["place"] as? String == "OPENAI_API_KEY")
        #expect(rows[0]["expired"] as? Bool == false && rows[0]["used"] as? Bool == true)
        #expect(rows[1]["account"] as? String == "work" && rows[1]["key"] as? String == "sk-…c1f2")
        #expect(rows[1]["from"] as? String == "file" && rows[1]["place"] as? String == file.path)
        #expect(rows[1]["expired"] as? Bool == true)
        #expect((rows[1]["expires"] as? String)?.hasPrefix("2026-11-06T") == true)
        #expect(!stage.output.contains("gorgonzola") && !stage.output.contains("emmental"))
    }

    @Test func `A key file readable by others is refused, except for keys in the environment`() async throws {
        _ = await run("set", "openai", input: Self.key)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let environment = ["ANTHROPIC_API_KEY": "sk-ant-emmental-01234"]
        #expect(await run("list", environment: environment) == .configuration)
        #expect(stage.output.contains("ANTHROPIC_API_KEY"))
        #expect(stage.errors.contains("chmod 600 '\(file.path)'"))
        for arguments in [["set", "openai"], ["test", "openai"], ["delete", "openai"]] {
            var composition = stage.composition(["keys"] + arguments)
            composition.keyChecks = { _, _ in ["openai": { _ in nil }] }
            composition.readSecret = { _ in
                Issue.record("It asks for a key that it cannot store.")
                return ""
            }
            stage.clearScreen()
            #expect(await HablareCommand.execute(in: composition) == .configuration)
            #expect(stage.errors.contains("chmod 600 '\(file.path)'"))
        }
    }

    // MARK: test

    @Test func `keys test calls the service with the effective key`() async throws {
        let asked = Locked<[String]>([])
        let checks: [String: KeyCheck] = [
            "openai": { key in
                asked.withLock { $0.append(key.secret) }
                return "It has 3 models."
            }
        ]
        #expect(await run("test", "openai", checks: checks) == .inputMissing)
        #expect(stage.errors == "hablare: There is no key for openai. Store one with: hablare keys set openai\n")
        _ = await run("set", "openai", input: Self.key)
        #expect(await run("test", "openai", checks: checks) == .success)
        #expect(stage.output == "openai accepts the key sk-…c1f2 from \(file.path). It has 3 models.\n")
        let environment = ["OPENAI_API_KEY": "sk-emmental-0123456789"]
        #expect(await run("test", "openai", environment: environment, checks: checks) == .success)
        #expect(stage.output.contains("the key sk-…6789 from the environment variable OPENAI_API_KEY"))
        #expect(asked.withLock { $0 } == [Self.key, "sk-emmental-0123456789"])
    }

    @Test func `A refused or untestable key has status 1 with the reason`() async throws {
        _ = await run("set", "openai", input: Self.key)
        let refusal: KeyCheck = { _ in throw AIServiceError(.unauthorized, "It was revoked.") }
        #expect(await run("test", "openai", checks: ["openai": refusal]) == .incomplete)
        #expect(
            stage.errors == "hablare: openai does not accept the key sk-…c1f2 from \(file.path). It was revoked.\n")
        let refusing: [String: KeyCheck] = [
            "openai": { _ in throw AIServiceError(.unauthorized, "OpenAI does not accept the key.") }
        ]
        #expect(await run("test", "openai", checks: refusing) == .incomplete)
        #expect(stage.errors.contains("openai does not accept the key sk-…c1f2"))
        let offline: [String: KeyCheck] = [
            "openai": { _ in throw AIServiceError(.connectionFailed, "There is no network.") }
        ]
        #expect(await run("test", "openai", checks: offline) == .incomplete)
        #expect(stage.errors == "hablare: There is no network.\n")
    }

    @Test func `An expired key is not sent`() async throws {
        let past = try Credential(APIKey(Self.key), expires: Date(timeIntervalSince1970: 1_794_960_000))
        try FileCredentials(file).set(past, for: CredentialName("openai"))
        let checks: [String: KeyCheck] = [
            "openai": { _ in
                Issue.record("It was asked.")
                return nil
            }
        ]
        #expect(await run("test", "openai", checks: checks) == .configuration)
        #expect(stage.errors.contains("expired on 2026-11-18"))
    }

    @Test func `Services that cannot be tested are reported`() async throws {
        #expect(await run("test", "openai") == .unavailable)
        #expect(stage.errors.contains("The key of openai cannot be tested: its service is unknown or has no test."))
        let checks: [String: KeyCheck] = ["openai": { _ in nil }, "anthropic": { _ in nil }]
        #expect(await run("test", "opnai", checks: checks) == .unavailable)
        #expect(stage.errors.contains("Did you mean openai?"))
        #expect(await run("test", "local", checks: checks) == .unavailable)
        #expect(stage.errors.contains("There is anthropic, openai."))
    }

    // MARK: delete

    @Test func `A deleted key is reported as valid until it is revoked`() async throws {
        _ = await run("set", "openai", input: Self.key)
        _ = await run("set", "local", input: "x")
        #expect(await run("delete", "openai") == .success)
        #expect(stage.output == "deleted the key sk-…c1f2 for openai from \(file.path)\n")
        #expect(stage.errors.contains("revoke it at https://platform.openai.com/api-keys"))
        #expect(try FileCredentials(file).list().map(\.name.service) == ["local"])
        #expect(await run("delete", "openai") == .inputMissing)
        #expect(stage.errors.contains("There is no key for openai in \(file.path)."))
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("gorgonzola"))
    }

    @Test func `Without a home folder only the environment is used`() async throws {
        for arguments in [["set", "openai"], ["delete", "openai"]] {
            var composition = stage.composition(["keys"] + arguments, input: Self.key)
            composition.environment = ["OPENAI_API_KEY": "sk-emmental-0123456789"]
            stage.clearScreen()
            #expect(await HablareCommand.execute(in: composition) == .configuration)
            #expect(stage.errors.contains("neither XDG_CONFIG_HOME nor HOME is set"))
        }
        var composition = stage.composition(["keys", "list"])
        composition.environment = ["OPENAI_API_KEY": "sk-emmental-0123456789"]
        stage.clearScreen()
        #expect(await HablareCommand.execute(in: composition) == .success)
        #expect(stage.output.contains("sk-…6789"))
    }

    @Test func `keys without a subcommand shows help, and each subcommand has examples`() async throws {
        #expect(await run() == .success)
        #expect(stage.output.contains("SUBCOMMANDS:"))
        for name in ["set", "list", "test", "delete"] {
            #expect(await run(name, "--help") == .success)
            #expect(stage.output.contains("EXAMPLES:\n  hablare keys \(name)"))
            #expect(!stage.output.contains("surplus"))
        }
    }
}
