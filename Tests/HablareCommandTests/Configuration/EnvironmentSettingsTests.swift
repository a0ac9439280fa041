import Testing

@testable import HablareCommand

/// Environment variables that are settings, and similar ones that are not.
@Suite struct EnvironmentSettingsTests {
    private func read(_ variables: [String: String], yaml: String? = nil) throws -> Settings {
        var desk = try SettingsDesk()
        if let yaml { try desk.write(yaml) }
        desk.environment = variables
        return try desk.read()
    }

    private func failure(_ variables: [String: String], yaml: String? = nil) throws -> CommandFailure {
        try #require(throws: CommandFailure.self) { try read(variables, yaml: yaml) }
    }

    @Test(
        "A mistyped variable is an error with the nearest name",
        arguments: [
            ("HABLARE_SERVICES_OPENAI_BASEURL", "Did you mean HABLARE_SERVICES_OPENAI_BASE_URL"),
            ("HABLARE_NETWORK_PROXI", "Did you mean HABLARE_NETWORK_PROXY"),
            ("HABLARE_DATADIR", "Did you mean HABLARE_DATA_DIR"),
            ("HABLARE_DEFAULT_PROVIDER_GENERAT", "Did you mean HABLARE_DEFAULT_PROVIDER_GENERATE"),
            ("HABLARE_SERVICES_LOCAL_MODEL", "such as HABLARE_SERVICES_LOCAL_KIND"),
        ])
    func mistyped(variable: String, message: String) throws {
        let failure = try failure([variable: "x"])
        #expect(failure.status == .configuration)
        #expect(failure.message.hasPrefix("The variable \(variable) is invalid: "), "\(failure.message)")
        #expect(failure.message.contains(message), "\(failure.message)")
    }

    @Test(arguments: [
        "HABLARE_SEED", "HABLARE_SEEDS", "HABLARE_OPENAI_KEY", "HABLARE_HOME", "OPENAI_API_KEY", "HABLARE",
    ])
    func `Other programs' environment variables are ignored`(variable: String) throws {
        #expect(try read([variable: "x"]) == Settings())
    }

    @Test(arguments: [
        "HABLARE_SERVICES_OPENAI_API_KEY", "HABLARE_SERVICES_OPENAI_KEY", "HABLARE_SERVICES_OPENAI_TOKEN",
    ])
    func `An API key in a setting's variable is refused`(variable: String) throws {
        let failure = try failure([variable: "sk-secret-secret-secret"])
        #expect(failure.message.hasSuffix("run: hablare keys set openai"), "\(failure.message)")
        #expect(!failure.message.contains("secret-secret"))
    }

    @Test func `A service can be defined by environment variables alone`() throws {
        let settings = try read([
            "HABLARE_SERVICES_MY_SERVER_KIND": "openai",
            "HABLARE_SERVICES_MY_SERVER_BASE_URL": "http://localhost:8080/v1/",
            "HABLARE_SERVICES_MY_SERVER_NEEDS_KEY": "false", "HABLARE_SERVICES_MY_SERVER_HEADERS_X_TITLE": "a, b",
            "HABLARE_SERVICES_MY_SERVER_FALLBACK": "openai, local",
        ])
        let service = try #require(settings.service("my-server"))
        #expect(service.address == "http://localhost:8080/v1")
        #expect(!service.needsKey)
        #expect(service.headers == ["x-title": "a, b"])
        #expect(service.fallback == ["openai", "local"])
    }

    @Test func `A header named kind defines no service`() throws {
        let settings = try read(["HABLARE_SERVICES_OPENAI_HEADERS_KIND": "x"])
        #expect(settings.services.map(\.name).withoutPresets.count == 3)
        #expect(settings.service("openai")?.headers == ["kind": "x"])
    }

    @Test func `A variable that could mean two settings is an error`() throws {
        let failure = try failure(
            ["HABLARE_SERVICES_A_SPEECH_MODEL": "x"],
            yaml: "services: {a: {kind: openai}, a-speech: {kind: openai}}")
        #expect(
            failure.message.contains("It is ambiguous: services.a-speech.model and services.a.speech_model"),
            "\(failure.message)")
        let both = try read([:], yaml: "services: {a: {kind: openai}, a-speech: {kind: openai}}")
        #expect(both.services.map(\.name).withoutPresets.count == 5)
    }

    @Test(arguments: [
        ("HABLARE_SERVICES_OPENAI_HEADERS_AUTHORIZATION", "hablare keys set openai"),
        ("HABLARE_SERVICES_OPENAI_HEADERS_CONTENT_LENGTH", "sets itself"),
        ("HABLARE_SERVICES_OPENAI_HEADERS_", "is not a valid header name"),
    ])
    func `Headers in variables are checked`(variable: String, message: String) throws {
        let failure = try failure([variable: "x"])
        #expect(failure.message.contains(message), "\(failure.message)")
    }
}
