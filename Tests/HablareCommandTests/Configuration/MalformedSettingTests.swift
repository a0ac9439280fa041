import Foundation
import Testing

@testable import HablareCommand

/// An invalid value is an error in every place, and is not replaced by the default.
@Suite struct MalformedSettingTests {
    /// Reads the settings. An invalid address is reported by its service only when it is used, so its error is taken
    /// from there.
    private func failure(
        _ sample: SettingSamples, _ yaml: String?, _ variables: [String: String], _ options: [Setting]
    ) throws -> CommandFailure {
        var desk = try SettingsDesk()
        if let yaml { try desk.write(yaml) }
        desk.environment = variables
        do {
            let settings = try desk.read(options: options)
            let failure = settings.service("extra")?.addressProblem
            return try #require(sample.kind == .address ? failure : nil, "it was read")
        } catch let failure as CommandFailure {
            return failure
        }
    }

    private func check(_ failure: CommandFailure, _ sample: SettingSamples, _ texts: [String], at source: String) {
        #expect(failure.message.contains(source), "\(failure.message)")
        #expect(failure.message.contains(sample.path.description), "\(failure.message)")
        for text in texts where text.count > 8 {
            #expect(!failure.message.contains(text), "the value may be a secret")
        }
    }

    @Test(arguments: SettingSamples.all)
    func `An invalid value in a file is an error with its line`(sample: SettingSamples) throws {
        for texts in sample.bad {
            let yaml = sample.yaml(texts)
            let failure = try failure(sample, yaml, [:], [])
            #expect(failure.status == .configuration)
            let line = yaml.split(separator: "\n").count
            check(failure, sample, texts, at: "hablare.yaml is invalid. Line \(line), column ")
        }
    }

    @Test(arguments: SettingSamples.all)
    func `An invalid value in the environment is an error with its variable`(sample: SettingSamples) throws {
        for texts in sample.bad {
            let failure = try failure(sample, nil, sample.variables(texts), [])
            #expect(failure.status == .configuration)
            check(failure, sample, texts, at: "The variable \(sample.path.variable) is invalid")
        }
    }

    @Test(arguments: SettingSamples.all)
    func `An invalid value in an option is a usage error`(sample: SettingSamples) throws {
        for texts in sample.bad {
            let base = "services: {extra: {kind: openai}}"
            let failure = try failure(sample, base, [:], sample.options(texts))
            #expect(failure.status == .usage)
            check(failure, sample, texts, at: "--option is invalid")
        }
    }

    @Test(arguments: SettingSamples.all)
    func `The error names the expected value`(sample: SettingSamples) throws {
        let failure = try failure(sample, nil, sample.variables([""]), [])
        #expect(failure.message.hasSuffix("\(sample.path) is empty. It must be \(sample.kind.wanted)."))
    }

    @Test(arguments: SettingSamples.all)
    func `A section or a list in place of a value is an error`(sample: SettingSamples) throws {
        for value in ["{a: b}", "[{a: b}]", "[[a]]"] + (sample.kind.isList ? ["[]"] : ["[a]", "[]"]) {
            let yaml = sample.yaml(["VALUE"]).replacing("\"VALUE\"", with: value)
            let failure = try failure(sample, yaml, [:], [])
            check(failure, sample, [], at: "Line \(yaml.split(separator: "\n").count), column ")
            #expect(failure.message.contains("must be \(sample.kind.wanted)"))
        }
    }

    @Test(arguments: SettingSamples.all)
    func `A key without a value is an error`(sample: SettingSamples) throws {
        for value in ["", "~", "null"] {
            let yaml = sample.yaml(["VALUE"]).replacing("\"VALUE\"", with: value)
            let failure = try failure(sample, yaml, [:], [])
            check(failure, sample, [], at: "Line \(yaml.split(separator: "\n").count), column ")
            #expect(failure.message.contains("has no value"))
        }
    }

    @Test(arguments: [
        ("services: {anthropic: {kind: openai}}", "anthropic has the kind anthropic"),
        ("services:\n  local:\n    model: m", "Line 2, column 3: services.local has no kind"),
        ("services:\n  local:", "Line 2, column 3: services.local has no kind"),
        ("services: {openai: {fallback: [anthropic, openai]}}", "names the service itself"),
        ("services:\n  anthropic:\n    voice: nova", "Line 3, column 12: services.anthropic.voice has no effect"),
        ("services: {elevenlabs: {model: m}}", "services.elevenlabs.model has no effect"),
    ])
    func `A readable setting that makes no sense is an error`(text: String, message: String) throws {
        let failure = try SettingsDesk.failure(text)
        #expect(failure.status == .configuration)
        #expect(failure.message.contains(message), "\(failure.message)")
    }
}
