import Foundation
import Hablare
import HablareJSON
import HablareStructured
import Testing

@testable import HablareProviders

/// Schemas of well-known formats, fitted to the services' rules.
@Suite struct SchemaFixtureTests {
    @Test("There are at least 40 schemas of published formats, each with its address")
    func count() throws {
        let formats = try SchemaFixture.formats()
        #expect(formats.count >= 40)
        let addresses = formats.compactMap { $0.schema["$comment"]?.string }
        #expect(addresses.allSatisfy { $0.hasPrefix("http") } && Set(addresses).count == formats.count)
        #expect(formats.count { $0.openai == "strict" } >= 35)
        // The schemas are as large as real ones.
        #expect(try formats.count { try ParameterValue.object($0.schema).jsonText().utf8.count > 1000 } >= 30)
    }

    @Test(
        "A schema is fitted to OpenAI's strict rules, or sent as it is and not strict",
        arguments: try SchemaFixture.all())
    func openAI(fixture: SchemaFixture) throws {
        let parameters = try OpenAITextParameters(
            ["schema": .object(fixture.schema)], of: "p", for: .chat, schemas: .openAI)
        let format = try #require(parameters.format)
        let sent = try #require(format["schema"])
        guard fixture.openai == "strict" else {
            #expect(format["strict"] == false && sent == .object(fixture.schema))
            #expect(Self.misfit(SchemaDialect.openAI.fit(fixture.schema)) == fixture.openai)
            return
        }
        #expect(format["strict"] == true, "\(Self.misfit(SchemaDialect.openAI.fit(fixture.schema)) ?? "")")
        #expect(VendorRules.ofOpenAI(sent) == [])
    }

    @Test("A schema is fitted to Anthropic's rules, or given as instructions", arguments: try SchemaFixture.all())
    func anthropic(fixture: SchemaFixture) throws {
        let options = try AnthropicOptions(
            ["schema": .object(fixture.schema), "instructions": "Be brief."], of: "p",
            rules: AnthropicModelRules(id: "claude", known: nil, defaultTokens: 10, time: nil))
        let sent = options.members["output_config"]?[member: "format"]?[member: "schema"]
        guard fixture.anthropic == "fitted" else {
            #expect(sent == nil && Self.misfit(SchemaDialect.anthropic.fit(fixture.schema)) == fixture.anthropic)
            let text = try ParameterValue.object(fixture.schema).jsonText()
            #expect(options.instructions?.hasPrefix("Be brief.") == true)
            #expect(options.instructions?.hasSuffix(text) == true)
            return
        }
        #expect(options.instructions == "Be brief.")
        let fitted = try #require(sent, "\(Self.misfit(SchemaDialect.anthropic.fit(fixture.schema)) ?? "")")
        #expect(VendorRules.ofAnthropic(fitted) == [])
    }

    @Test("Our judge understands the schemas that say so", arguments: try SchemaFixture.all())
    func judged(fixture: SchemaFixture) throws {
        guard fixture.isJudged else {
            #expect(throws: JSONSchema.Fault.self) { try JSONSchema(.object(fixture.schema)) }
            return
        }
        let schema = try JSONSchema(.object(fixture.schema))
        let example = try #require(fixture.example)
        #expect(schema.validate(example) == [])
        if let refused = fixture.refused { #expect(schema.validate(refused) != []) }
    }

    @Test("A published format has a value that our judge refuses", arguments: try SchemaFixture.formats())
    func refusals(fixture: SchemaFixture) { #expect(fixture.refused != nil && fixture.example != nil) }

    @Test(
        "A value with null for each absent member satisfies the fitted schema, and is the original value to the judge",
        arguments: try SchemaFixture.all())
    func roundTrip(fixture: SchemaFixture) async throws {
        guard fixture.isJudged, case .success(let fitted) = SchemaDialect.openAI.fit(fixture.schema) else { return }
        let example = try #require(fixture.example)
        let answer = Self.completed(example, by: .object(fitted), in: .object(fitted))
        #expect(try JSONSchema(.object(fitted)).validate(answer) == [])
        let requestor = try StructuredRequestor<ParameterValue>(
            "p.structured.m", StructuredConfiguration(schema: try JSONSchema(.object(fixture.schema))))
        for content in [ResponseContent.structured(answer), .text(Body(try answer.jsonText()))] {
            let response = AIResponseData(
                requestID: UUID(), providerID: "p", result: .success(content), receivedAt: .now)
            let value = try await requestor.output(of: response).value
            #expect(value == example || fixture.mayBeNull && Self.withoutNulls(value) == Self.withoutNulls(example))
        }
    }

    /// Returns a value without the members that are null.
    private static func withoutNulls(_ value: ParameterValue) -> ParameterValue {
        switch value {
        case .array(let values): .array(values.map(withoutNulls))
        case .object(let members): .object(members.filter { $0.value != .null }.mapValues(withoutNulls))
        default: value
        }
    }

    /// Returns a value with null for each member that a fitted schema requires and the value lacks.
    private static func completed(
        _ value: ParameterValue, by schema: ParameterValue, in root: ParameterValue
    ) -> ParameterValue {
        if let reference = schema[member: "$ref"]?.string {
            let name = String(reference.dropFirst(8))
            return completed(
                value, by: reference == "#" ? root : root[member: "$defs"]?[member: name] ?? .null, in: root)
        }
        for alternative in schema[member: "anyOf"]?.elements ?? [] {
            let candidate = completed(value, by: alternative, in: root)
            var rules = ["anyOf": [alternative]] as [String: ParameterValue]
            rules["$defs"] = root[member: "$defs"]
            // A reference to the root cannot be judged alone; there is one alternative beside null then.
            if alternative[member: "$ref"] == "#", value != .null { return candidate }
            guard let judge = Self.judge(.object(rules)), judge.validate(candidate) == [] else { continue }
            return candidate
        }
        switch value {
        case .array(let values):
            guard let items = schema[member: "items"] else { return value }
            return .array(values.map { completed($0, by: items, in: root) })
        case .object(var members):
            guard case .object(let properties)? = schema[member: "properties"] else { return value }
            for (name, property) in properties {
                members[name] = members[name].map { completed($0, by: property, in: root) } ?? .null
            }
            return .object(members)
        default: return value
        }
    }

    private static func judge(_ schema: ParameterValue) -> JSONSchema? {
        do {
            return try JSONSchema(schema)
        } catch {
            return nil
        }
    }

    private static func misfit(_ result: Result<[String: ParameterValue], SchemaMisfit>) -> String? {
        guard case .failure(let misfit) = result else { return nil }
        return String("\(misfit)".prefix { $0 != "(" })
    }
}
