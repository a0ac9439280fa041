import Foundation
import Hablare
import Testing

@testable import HablareProviders

/// The known models, their ends, and the file they are read from.
@Suite struct ModelCatalogTests {
    private static func day(_ name: String) -> Date { InternetDate.known("\(name)T00:00:00Z") }

    // MARK: The list that ships

    @Test func `The list that ships is read, and each model has a source and a day`() throws {
        let catalog = ModelCatalog.shipped
        #expect(catalog.models.count > 50 && catalog.date >= "2026-11-27")
        for model in catalog.models {
            #expect(model.source?.isEmpty == false && model.checked != nil, "\(model.id)")
        }
        let sonnet = try #require(catalog.model("claude-sonnet-5-5", of: "anthropic"))
        #expect(sonnet.outputTokens == 128_000 && sonnet.thinksByDefault == true)
        #expect(sonnet.refused.isSuperset(of: ["temperature", "top_p", "top_k"]))
    }

    @Test func `No default of the list has ended, or ends within half a year of its day`() throws {
        let catalog = ModelCatalog.shipped
        let date = Self.day(catalog.date)
        #expect(catalog.defaults["openai"]?.count ?? 0 >= 3 && catalog.defaults["anthropic"]?[.text] != nil)
        for (vendor, kinds) in catalog.defaults {
            for (kind, id) in kinds {
                let model = try #require(catalog.model(id, of: vendor))
                #expect(model.kind == kind && model.standing(at: date) == .current, "\(id)")
            }
        }
    }

    // MARK: Ends

    @Test(
        "A model ends at its date, and is reported half a year before",
        arguments: [
            ("2026-07-22", ModelStanding.current), ("2026-07-23", .ending(day("2027-01-22"))),
            ("2027-01-21", .ending(day("2027-01-22"))), ("2027-01-22", .retired(day("2027-01-22"))),
            ("2028-01-01", .retired(day("2027-01-22"))),
        ])
    func standing(at name: String, expected: ModelStanding) {
        let model = ModelInformation(vendor: "v", id: "m", endsAt: Self.day("2027-01-22"), successor: "n")
        #expect(model.standing(at: Self.day(name)) == expected)
        let notice = model.notice(at: Self.day(name))
        #expect((notice == nil) == (expected == .current))
        if let notice { #expect(notice.contains("2027-01-22") && notice.contains("Use n.")) }
    }

    @Test func `The service's word about a model's life counts more than an announced date`() {
        let now = Self.day("2027-06-01")
        var model = ModelInformation(vendor: "v", id: "m", lifecycle: .deprecated, endsAt: Self.day("2027-01-22"))
        #expect(model.standing(at: now) == .ending(Self.day("2027-01-22")))
        #expect(model.notice(at: now)?.contains("should have been retired on 2027-01-22") == true)
        model.lifecycle = .retired
        model.endsAt = nil
        #expect(model.standing(at: now) == .retired(nil))
        #expect(model.notice(at: now)?.contains("hablare models v") == true)
        model.lifecycle = .deprecated
        #expect(model.standing(at: now) == .ending(nil))
        #expect(model.notice(at: now)?.contains("deprecated") == true)
    }

    // MARK: Names

    @Test(
        "A model is found by its id, an alias, and its id with a date",
        arguments: [
            ("gpt-4", "gpt-4"), ("gpt-4-turbo-latest", "gpt-4-turbo"), ("gpt-4-2024-01-31", "gpt-4"),
            ("gpt-4-20240131", "gpt-4"), ("gpt-4-1106", nil), ("gpt-4-2024-1-031", nil), ("gpt", nil), ("", nil),
            ("-20240131", nil), ("2024-01-31", nil), ("gpt-4-turbo-2024-04-09", "gpt-4-turbo"),
        ] as [(String, String?)])
    func names(id: String, expected: String?) {
        let catalog = ModelCatalog([
            ModelInformation(vendor: "openai", id: "gpt-4", successor: "gpt-4"),
            ModelInformation(
                vendor: "openai", id: "gpt-4-turbo", aliases: ["gpt-4-turbo-latest"], successor: "gpt-4-turbo"),
        ])
        let found = catalog.model(id, of: "openai")
        #expect(found?.successor == expected && (found == nil || found?.id == id))
        #expect(catalog.model(id, of: "anthropic") == nil)
    }

    // MARK: The file

    private static let whole = """
        {"date": "2026-11-27", "notes": ["n"], "defaults": {"v": {"text": "m"}}, "models": [
          {"vendor": "v", "id": "m", "kind": "text", "aliases": ["a"], "name": "M", "context": 10, "maxOutput": 5,
           "maxCharacters": 7, "dimensions": 3, "inputs": ["image"], "released": "2026-01-02",
           "thinking": "adaptive, on by default", "effort": {"values": ["low"], "default": "low"},
           "refused": ["top_k"], "refusedWhileReasoning": ["top_p"], "batch": true, "shutdown": "2027-01-02",
           "retiresNotBefore": "2026-12-01", "successor": "n", "advice": "A.", "unpriced": "U.", "notes": "x", "source": "s", "date": "2026-11-01"}]}
        """

    @Test func `Every member of an entry is read`() throws {
        let catalog = try ModelCatalog(json: Data(Self.whole.utf8))
        #expect(catalog.date == "2026-11-27" && catalog.defaultModel(.text, of: "v") == "m")
        var expected = ModelInformation(
            vendor: "v", id: "m", aliases: ["a"], name: "M", kind: .text, inputs: ["image"],
            releasedAt: Self.day("2026-01-02"), contextTokens: 10, outputTokens: 5, maximumCharacters: 7,
            dimensions: 3, thinksByDefault: true, efforts: ["low"], refused: ["top_k"], isBatchable: true,
            endsAt: Self.day("2027-01-02"), endsNotBefore: Self.day("2026-12-01"), successor: "n",
            checked: "2026-11-01", source: "s")
        expected.refusedWhileReasoning = ["top_p"]
        (expected.advice, expected.unpriced) = ("A.", "U.")
        #expect(catalog.models == [expected])
    }

    @Test(
        "A file that is not as it should be is refused with the name of the member",
        arguments: [
            (#""date": "2026-11-27", "notes""#, #""date": "yesterday", "notes""#, "date"),
            (#""date": "2026-11-27", "notes""#, #""other": 1, "date": "2026-11-27", "notes""#, "other"),
            (#""models": ["#, #""models": 7, "x": ["#, "x"), (#""kind": "text""#, #""kind": "smell""#, "kind"),
            (#""kind": "text", "#, "", "kind"), (#""id": "m", "#, "", "id"), (#""vendor": "v", "#, "", "vendor"),
            (#""context": 10"#, #""context": -1"#, "context"), (#""context": 10"#, #""context": 1.5"#, "context"),
            (#""context": 10"#, #""context": 99999999999999999999"#, "context"),
            (#""maxOutput": 5"#, #""maxOutput": "5""#, "maxOutput"), (#""batch": true"#, #""batch": 1"#, "batch"),
            (#"["low"], "default""#, #"[1], "default""#, "effort"),
            (#""default": "low""#, #""usual": "low""#, "effort"),
            (#"adaptive, on by default"#, "sometimes", "thinking"), (#""2027-01-02""#, #""2027-02-30""#, "shutdown"),
            (#"["top_k"]"#, #""top_k""#, "refused"), (#"["a"]"#, #"[["a"]]"#, "aliases"),
            (#""text": "m""#, #""text": "z""#, "default"), (#""text": "m""#, #""smell": "m""#, "default"),
            (#"{"v": {"text": "m"}}"#, "7", "defaults"), (#""source": "s""#, #""colour": "s""#, "colour"),
        ])
    func faults(part: String, replacement: String, named: String) throws {
        let text = Self.whole.replacing(part, with: replacement, maxReplacements: 1)
        #expect(text != Self.whole)
        do throws(AIServiceError) {
            _ = try ModelCatalog(json: Data(text.utf8))
            Issue.record("Nothing failed")
        } catch {
            #expect(error.code == .invalidConfiguration && error.message.contains(named), "\(error.message)")
        }
    }

    @Test("Bytes that are no list of models are refused", arguments: ["", "[]", "{", "7", #"{"date":1,"date":2}"#])
    func noFile(text: String) {
        #expect(throws: AIServiceError.self) { try ModelCatalog(json: Data(text.utf8)) }
    }

    @Test func `A model that comes twice is refused`() {
        let entry = #"{"vendor":"v","id":"m","kind":"text"}"#
        #expect(throws: AIServiceError.self) {
            try ModelCatalog(json: Data(#"{"date":"2026-11-27","models":[\#(entry),\#(entry)]}"#.utf8))
        }
    }
}
