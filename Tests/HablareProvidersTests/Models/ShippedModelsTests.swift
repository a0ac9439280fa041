import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The list of models that ships, compared with the vendors' libraries and with the shipped prices. Dates count from
/// the list's own day.
@Suite struct ShippedModelsTests {
    private let catalog = ModelCatalog.shipped
    private let today: Date

    init() throws {
        today = try #require(UTCDay(ModelCatalog.shipped.date)).start
    }

    // MARK: Ends

    private typealias DatedModel = (vendor: String, model: String, day: String)

    /// The dates in the vendors' libraries, as `scripts/sdk-dates.py` prints them.
    private static func libraryDates() throws -> [DatedModel] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let json = try Data(contentsOf: folder.appending(path: "Fixtures/Models/sdk-dates.json"))
        guard case .object(let vendors)? = ParameterValue(json: json) else {
            throw AIServiceError(.invalidState, "The fixture is not an object.")
        }
        return vendors.sorted { $0.key < $1.key }.flatMap { vendor, entry -> [DatedModel] in
            guard case .object(let dates)? = entry[member: "dates"] else { return [] }
            return dates.sorted { $0.key < $1.key }
                .map { (vendor: vendor, model: $0.key, day: $0.value.string ?? "") }
        }
    }

    @Test func `The list has each model that a vendor's library dates, with that date`() throws {
        let dates = try Self.libraryDates()
        #expect(dates.count > 80 && Set(dates.map(\.vendor)) == ["anthropic", "openai"])
        for (vendor, id, day) in dates {
            let end = catalog.model(id, of: vendor)?.endsAt.map { UTCDay(containing: $0).name }
            #expect(end == day, "\(vendor) \(id)")
        }
    }

    @Test func `A model that a library dates before today is refused with advice`() throws {
        for (vendor, id, day) in try Self.libraryDates() where day <= catalog.date {
            let error = #expect(throws: AIServiceError.self) {
                try catalog.checkIsOffered(id, of: vendor, at: today)
            }
            let message = try #require(error).message
            #expect(message.contains(id) && message.contains(day) && message.contains(" Use "), "\(message)")
            #expect(message.hasSuffix(". Nothing was sent."), "\(message)")
        }
    }

    @Test func `Each model that has ended or ends soon has a current successor of its kind`() throws {
        var withAdvice: Set<ModelInformation.Kind> = []
        for model in catalog.models where model.standing(at: today) != .current {
            guard let id = model.successor else {
                // Only a vendor that has no current model of the kind has no successor.
                let kind = try #require(model.kind)
                let advice = try #require(model.advice, "\(model.id)")
                let current = catalog.models.filter {
                    $0.vendor == model.vendor && $0.kind == kind && $0.standing(at: today) == .current
                }
                #expect(current.isEmpty, "\(model.id)")
                #expect(model.notice(at: today)?.hasSuffix(advice) == true && advice.hasSuffix("."))
                withAdvice.insert(kind)
                continue
            }
            let successor = try #require(catalog.model(id, of: model.vendor), "\(model.id) -> \(id)")
            #expect(successor.kind == model.kind && successor.standing(at: today) == .current, "\(model.id) -> \(id)")
        }
        #expect(withAdvice == [.speech])
    }

    @Test func `A notice ends with a full stop`() {
        for (successor, advice) in [("n", nil), (nil, "Ask."), (nil, nil)] as [(String?, String?)] {
            var model = ModelInformation(vendor: "v", id: "m", endsAt: today, successor: successor)
            model.advice = advice
            #expect(model.notice(at: today)?.hasSuffix(".") == true)
        }
    }

    // MARK: Defaults

    @Test func `Providers take their default model and its limits from the list`() throws {
        let openAI = try OpenAIBench().service(ScriptedTransport { _ in OpenAIBench.json("") })
        let anthropic = try AnthropicBench(stream: "").service
        let elevenLabs = try ElevenLabsBench(sound: Data()).service
        let speech = ElevenLabsSpeechProvider(service: elevenLabs)
        let providers: [(any AIServiceProvider, String, ModelInformation.Kind)] = [
            (OpenAITranscriptionProvider("t", service: openAI), "openai", .transcription),
            (AnthropicMessagesProvider(service: anthropic), "anthropic", .text),
            (speech, "elevenlabs", .speech),
            (ElevenLabsTranscriptionProvider(service: elevenLabs), "elevenlabs", .transcription),
        ]
        for (provider, vendor, kind) in providers {
            #expect(provider.defaultModel != nil && provider.defaultModel == catalog.defaultModel(kind, of: vendor))
        }
        let most = try #require(catalog.model(speech.model, of: "elevenlabs")?.maximumCharacters)
        #expect(speech.limits.maximumCharacters == Int(most))
        for model in catalog.models where model.vendor == "elevenlabs" {
            #expect(ElevenLabsModel.maximumCharacters(of: model.id) == model.maximumCharacters.map { Int($0) })
            #expect(ElevenLabsModel.takesContext(model.id) == !model.refused.contains("previous_text"))
        }
        #expect(!ElevenLabsModel.takesContext("eleven_v3") && ElevenLabsModel.takesContext("eleven_v4"))
        #expect(ElevenLabsModel.maximumCharacters(of: "unknown") == nil && ElevenLabsModel.takesContext("unknown"))
    }

    @Test func `A default of the service's own list replaces that of the shipped list`() throws {
        let list = try ModelCatalog(
            json: Data(
                #"{"date":"2026-11-27","defaults":{"openai":{"transcription":"m"}},"models":[{"vendor":"openai","id":"m","kind":"transcription"}]}"#
                    .utf8))
        let service = try OpenAIBench(catalog: list).service(ScriptedTransport { _ in OpenAIBench.json("") })
        #expect(OpenAITranscriptionProvider("t", service: service).model == "m")
        #expect(OpenAITranscriptionProvider("t", service: service, model: "n").model == "n")
    }

    // MARK: Prices

    @Test func `Each model that can be called has a price, or the reason why it has none`() {
        for model in catalog.models where model.standing(at: today) != .retired(model.endsAt) {
            for id in [model.id] + model.aliases {
                let prices = PriceTable.shipped.prices(of: [model.vendor], model: id, at: today)
                    .filter { model.kind == .speech || $0.unit != .character }
                #expect(prices.isEmpty == (model.unpriced != nil), "\(model.vendor) \(id)")
            }
        }
    }

    @Test func `The default models have a price, except those whose reason is known`() {
        var without: Set<String> = []
        for (vendor, kinds) in catalog.defaults {
            for id in kinds.values where catalog.model(id, of: vendor)?.unpriced != nil { without.insert(id) }
        }
        #expect(without == ["scribe_v3"])
    }

    @Test func `Models of the shipped prices are in the list`() {
        for entry in PriceTable.shipped.entries {
            guard let id = entry.model else { continue }
            #expect(catalog.model(id, of: entry.provider) != nil, "\(entry.provider) \(id)")
        }
    }
}
