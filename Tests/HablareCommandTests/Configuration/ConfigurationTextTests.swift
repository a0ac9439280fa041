import Foundation
import Testing

@testable import HablareCommand

/// The content of a settings file: its keys and its syntax.
@Suite struct ConfigurationTextTests {
    @Test(
        "An unknown key is an error with its position and the nearest name",
        arguments: [
            ("data_dri: /x", 1, 1, "There is no key data_dri. Did you mean data_dir?"),
            ("# first\nnetwrok: {}\n", 2, 1, "There is no key netwrok. Did you mean network?"),
            ("default_provider:\n  genrate: x", 2, 3, "default_provider has no key genrate. Did you mean generate?"),
            ("network:\n  proxi: none", 2, 3, "network has no key proxi. Did you mean proxy?"),
            (
                "services:\n  openai:\n    base_ulr: x", 3, 5,
                "services.openai has no key base_ulr. Did you mean base_url?"
            ),
            ("services: {openai: {Model: x}}", 1, 21, "services.openai has no key Model. Did you mean model"),
            ("<<: {data_dir: /x}", 1, 1, "There is no key \"<<\"."),
            ("1: x", 1, 1, "There is no key 1."),
        ])
    func unknown(text: String, line: Int, column: Int, message: String) throws {
        let failure = try SettingsDesk.failure(text)
        #expect(failure.status == .configuration)
        #expect(
            failure.message.contains("is invalid. Line \(line), column \(column): \(message)"),
            "\(failure.message)")
    }

    @Test(
        "A secret in the settings is refused under any name",
        arguments: [
            "key", "api_key", "apikey", "API-KEY", "token", "access_token", "secret", "password", "credentials",
        ])
    func secrets(name: String) throws {
        let secret = "abcdefgh12345678"
        for (text, service) in [
            ("\(name): \(secret)", "SERVICE"), ("network: {\(name): \(secret)}", "SERVICE"),
            ("services: {openai: {\(name): \(secret)}}", "openai"),
            ("services: {openai: {headers: {X-\(name): \(secret)}}}", "openai"),
        ] {
            let failure = try SettingsDesk.failure(text)
            #expect(failure.message.contains("run: hablare keys set \(service)"), "\(failure.message)")
            #expect(!failure.message.contains(secret))
        }
    }

    @Test(arguments: [
        ("services: {openai: {headers: {Authorization: Bearer x}}}", "hablare keys set openai"),
        ("services: {openai: {headers: {X-Title: Bearer abc}}}", "services.openai.headers.x-title must be"),
        ("services: {openai: {headers: {Cookie: a}}}", "hablare keys set openai"),
        ("services: {openai: {headers: {Content-Length: '1'}}}", "a header that hablare sets itself"),
        ("services: {openai: {headers: {'a b': c}}}", "is not a valid header name"),
        ("services: {openai: {headers: {a_b: c}}}", "is not a valid header name"),
        ("services: {openai: {headers: {X-A: a, x-a: b}}}", "occurs more than once"),
        ("services: {openai: {headers: [X-A]}}", "services.openai.headers must have keys"),
        ("services: {openai: {model: sk-abcdefghijklmnopqrstuv}}", "hablare keys set openai"),
        ("sk-abcdefghijklmnopqrstuv: x", "There is no key …."),
    ])
    func `Headers in settings are refused if secret or set by the command`(text: String, message: String) throws {
        let failure = try SettingsDesk.failure(text)
        #expect(failure.message.contains(message), "\(failure.message)")
        #expect(!failure.message.contains("abcdefghijklmnopqrstuv"))
    }

    @Test(arguments: [
        "Local", "lo_cal", "lo.cal", "-a", "a-", "a--b", "ä", "a b", "''", "7a", String(repeating: "a", count: 33),
    ])
    func `A service's name must be usable in an environment variable`(name: String) throws {
        let failure = try SettingsDesk.failure("services:\n  \(name): {kind: openai}")
        #expect(failure.message.contains("Line 2, column 3: "), "\(failure.message)")
        #expect(failure.message.contains("is not a valid service name"), "\(failure.message)")
    }

    @Test(arguments: [
        "data_dir: /a\ndata_dir: /b", "network:\n  proxy: none\nnetwork: {}",
        "services: {openai: {model: a, \"model\": b}}",
        "services: {local: {kind: openai}, local: {}}", "\"data_dir\": /a\ndata_dir: /b", "true: a\n'true': b",
    ])
    func `A duplicate key is an error`(text: String) throws {
        let failure = try SettingsDesk.failure(text)
        #expect(failure.message.contains("Line "))
        #expect(failure.message.contains("occurs more than once"), "\(failure.message)")
    }

    @Test(arguments: [
        ("{\"data_dir\": \"/a\", \"data_dir\": \"/b\"}", "occurs more than once"),
        ("{\"data_dir\": \"/a\",}", "It is not valid JSON at line 1, column 19"),
        ("data_dir: /a", "It is not valid JSON at line 1, column 1"), ("{'data_dir': 1}", "It is not valid JSON"),
        ("[]", "The file must have keys"), ("\"text\"", "The file must have keys"), ("7", "The file must have keys"),
    ])
    func `Invalid JSON in settings is an error with its position`(text: String, message: String) throws {
        let failure = try SettingsDesk.failure(text, named: "hablare.json")
        #expect(failure.message.contains(message), "\(failure.message)")
    }

    @Test(arguments: [
        ("data_dir: 'open", "Line 1, column 16: It is not valid YAML from here: found unexpected end"),
        ("a: b: c", "Line 1, column 5: It is not valid YAML from here: mapping values"),
        ("data_dir: \"\\q\"", "Line 1, column"), ("\tdata_dir: x", "Line 1, column 1"),
        ("a: [b", "It is not valid YAML"),
        ("data_dir: /a\n--- \ndata_dir: /b", "Line 2, column 1"), ("- a", "The file must have keys"),
        ("data_dir: /a\u{1}", "It is not valid YAML from here: control characters"),
        ("? [a]\n: b", "A key must be a text"),
        ("data_dir: @x", "Line 1, column 11"), ("services: text", "services must have keys"),
        ("network: [proxy]", "Line 1, column"), ("services: {openai: none}", "services.openai must have keys"),
        ("data_dir: *x", "found undefined alias"), ("text", "The file must have keys"),
    ])
    func `Invalid YAML in settings is an error with its position`(text: String, message: String) throws {
        let failure = try SettingsDesk.failure(text)
        #expect(failure.message.contains(message), "\(failure.message)")
        #expect(!failure.message.contains("\n"), "the text itself is not repeated")
    }

    @Test(arguments: [
        "", "\n", "# nothing\n", "---\n", "--- \n...\n", "~", "null", "{}",
        "services:\nnetwork: ~\ndefault_provider: {}", "services: {openai: }",
    ])
    func `An empty settings file is valid`(text: String) throws {
        var settings = try SettingsDesk.settings(text)
        #expect(settings.file != nil)
        settings.file = nil
        #expect(settings == Settings())
    }

    // MARK: Bombs

    @Test(arguments: [
        "data_dir: &a /x", "&a data_dir: /x", "network: &n {proxy: none}", "services: {openai: &s {}}",
        "network: {no_proxy: [&h localhost]}", "network: {no_proxy: &h [localhost]}",
        "services:\n  openai: &a {model: m}\n  local: *a", "data_dir: &a /x\n? *a\n: b",
    ])
    func `Anchors and aliases are refused`(text: String) throws {
        let failure = try SettingsDesk.failure(text)
        #expect(failure.message.contains("Anchors and aliases (&name, *name) are not supported."), "\(failure.message)")
    }

    @Test func `A quoted text that looks like an anchor or alias is a text`() throws {
        let settings = try SettingsDesk.settings(
            """
            # R&D's *own* settings, & more
            network: {no_proxy: ["*"]}
            services: {openai: {headers: {X-Title: "a & b, x=1&y=2"}}}
            """)
        #expect(settings.network.withoutProxy == ["*"])
        #expect(settings.service("openai")?.headers == ["x-title": "a & b, x=1&y=2"])
    }

    /// Ten lines for a key of 3 to the 60th texts: comparing or expanding it would never end.
    @Test(.timeLimit(.minutes(5))) func `A bomb of aliases is refused at once`() throws {
        var text = "a0: &a0 [x, x, x]\n"
        for level in 1...60 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1)]\n" }
        text += "? *a60\n: x\n? *a60\n: y\n"
        let failure = try SettingsDesk.failure(text)
        #expect(failure.message.contains("Line 1, column 5: Anchors and aliases"), "\(failure.message)")
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["[", "{", "- ", "? ", "{a: ", "a:\n", "[{"])
    func `Endless nesting is an error and not a crash`(opening: String) throws {
        for count in [900, 200_000] {
            let repeated = String(
                repeating: opening, count: min(count, ConfigurationFile.maximumBytes / opening.utf8.count - 10))
            let failure = try SettingsDesk.failure(
                "network: " + (opening == "[" || opening.hasPrefix("{") ? "" : "\n ") + repeated)
            #expect(failure.status == .configuration)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `A file with very many keys is read in time`() throws {
        let keys = (0..<60_000).map { "k\($0): x\n" }.joined()
        let failure = try SettingsDesk.failure(keys)
        #expect(failure.message.contains("There is no key k0."))
    }
}
