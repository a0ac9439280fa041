import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct ElevenLabsServiceTests {
    private typealias Bench = ElevenLabsBench

    private static let first =
        #"{"voices":[{"voice_id":"JBFqnCBsd6RMkjVDRZzb","name":"George - Warm Storyteller","category":"premade","labels":{"language":"en","gender":"male","description":"warm"},"verified_languages":[{"language":"en","model_id":"m","locale":"en-GB"},{"language":"es","model_id":"m","locale":"es-ES"}],"recording_quality":"studio"},{"name":"nobody"},{"voice_id":"short","name":"Rachel","labels":{"gender":"female"},"description":"calm"}],"has_more":true,"total_count":3,"next_page_token":"p2"}"#
    private static let second =
        #"{"voices":[{"voice_id":"short","name":"Rachel"},{"voice_id":"x2","name":"Ana","category":"high_quality","labels":{"language":"es","gender":"female"}}],"has_more":false,"next_page_token":null}"#

    private func bench(cache: VoiceCache? = nil) throws -> Bench {
        try Bench(cache: cache) { call in
            .json(call.url.query()?.contains("next_page_token=p2") == true ? Self.second : Self.first)
        }
    }

    @Test func `Voices are listed page by page, each once`() async throws {
        let bench = try bench()
        let voices = try await bench.service.voices()
        #expect(
            voices == [
                SpeechVoice(
                    id: "JBFqnCBsd6RMkjVDRZzb", name: "George - Warm Storyteller", languages: ["en", "en-GB", "es-ES"],
                    gender: "male", quality: "studio", category: "premade", summary: "warm"),
                SpeechVoice(id: "short", name: "Rachel", gender: "female", summary: "calm"),
                SpeechVoice(
                    id: "x2", name: "Ana", languages: ["es"], gender: "female", quality: "studio",
                    category: "high_quality"),
            ])
        #expect(
            bench.transport.calls.map(\.url.absoluteString) == [
                "https://api.elevenlabs.io/v2/voices?page_size=100&include_total_count=false",
                "https://api.elevenlabs.io/v2/voices?page_size=100&include_total_count=false&next_page_token=p2",
            ])
    }

    @Test(
        "Voices are filtered by language, gender and quality",
        arguments: [
            (SpeechVoiceFilter(language: "es"), ["JBFqnCBsd6RMkjVDRZzb", "x2"]),
            (SpeechVoiceFilter(language: "EN_gb"), ["JBFqnCBsd6RMkjVDRZzb"]),
            (SpeechVoiceFilter(language: "e"), []),
            (SpeechVoiceFilter(gender: "Female"), ["short", "x2"]),
            (SpeechVoiceFilter(gender: "female", quality: "studio"), ["x2"]),
        ] as [(SpeechVoiceFilter, [String])])
    func filters(filter: SpeechVoiceFilter, expected: [String]) async throws {
        let voices = try await bench().service.voices(filter)
        #expect(voices.map(\.id) == expected)
    }

    @Test(
        "A voice is found by id and by name",
        arguments: [
            ("ABCDEFGHIJ0123456789", "ABCDEFGHIJ0123456789"), ("short", "short"), ("rachel", "short"),
            ("George - warm storyteller", "JBFqnCBsd6RMkjVDRZzb"), ("george", "JBFqnCBsd6RMkjVDRZzb"),
        ])
    func names(text: String, id: String) async throws {
        let found = try await bench().service.voiceID(of: text)
        #expect(found == id)
    }

    @Test func `An id is not asked for`() async throws {
        let bench = try bench()
        _ = try await bench.service.voiceID(of: "ABCDEFGHIJ0123456789")
        #expect(bench.transport.calls.isEmpty)
    }

    @Test func `A voice that does not exist is refused with the nearest names`() async throws {
        let error = await #expect(throws: AIServiceError.self) { try await bench().service.voiceID(of: "Rachael") }
        #expect(error?.code == .invalidRequest && error?.message.contains("Did you mean Rachel?") == true)
    }

    @Test func `A name that several voices have is refused with their ids`() async throws {
        let bench = try Bench { _ in
            .json(
                #"{"voices":[{"voice_id":"a","name":"Eve - One"},{"voice_id":"b","name":"Eve - Two"}],"has_more":false}"#
            )
        }
        let error = await #expect(throws: AIServiceError.self) { try await bench.service.voiceID(of: "Eve") }
        #expect(error?.message.contains("a, b") == true)
    }

    @Test func `A kept list is asked anew for a name that it does not have`() async throws {
        let cache = try TemporaryVoices()
        let bench = try bench(cache: cache.cache)
        _ = try await bench.service.voices()
        _ = try await bench.service.voices()
        #expect(bench.transport.calls.count == 2, "two pages, once")
        await #expect(throws: AIServiceError.self) { try await bench.service.voiceID(of: "Nobody") }
        #expect(bench.transport.calls.count == 4)
    }

    @Test func `A list that was asked for just now is not asked for again`() async throws {
        for cache in [nil, try TemporaryVoices()] {
            let bench = try bench(cache: cache?.cache)
            await #expect(throws: AIServiceError.self) { try await bench.service.voiceID(of: "Nobody") }
            #expect(bench.transport.calls.count == 2, "two pages, once")
        }
    }

    @Test(arguments: [404, 405])
    func `A server with the older list only is asked for that`(status: Int) async throws {
        let bench = try Bench { call in
            call.url.path.contains("/v2/")
                ? .of("text/html", Data("<html>Not Found".utf8), status: status)
                : .json(#"{"voices":[{"voice_id":"a","name":"A"}]}"#)
        }
        let voices = try await bench.service.voices()
        #expect(voices == [SpeechVoice(id: "a", name: "A")])
        #expect(bench.transport.calls.map(\.url.path) == ["/v2/voices", "/v1/voices"])
    }

    @Test func `An older list that is none is no list of nobody, and is not kept`() async throws {
        let cache = try TemporaryVoices()
        let bench = try Bench(cache: cache.cache) { call in
            call.url.path.contains("/v2/") ? .json("{}", status: 404) : .json(#"{"surprise":1}"#)
        }
        for _ in 0..<2 {
            let error = await #expect(throws: AIServiceError.self) { try await bench.service.voices() }
            #expect(error?.code == .invalidResponse && error?.billing == nil)
        }
        #expect(bench.transport.calls.count == 4)
    }

    @Test func `The second page that is not found is a refusal`() async throws {
        let bench = try Bench { call in
            call.url.query()?.contains("next_page_token") == true ? .json("{}", status: 404) : .json(Self.first)
        }
        let error = await #expect(throws: AIServiceError.self) { try await bench.service.voices() }
        #expect(error?.code == .invalidRequest)
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `While a voice is looked up nothing can have been paid for`() async throws {
        let answers: [@Sendable () throws -> HTTPAnswer] = [
            { throw HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "reset") },
            { throw HTTPFailure(.idleTimeout, mayHaveArrived: true, cause: "silent") },
            { .json(#"{"voices":7}"#) }, { .json("no JSON") }, { .of("text/html", Data()) },
        ]
        for (number, answer) in answers.enumerated() {
            let bench = try Bench { _ in try answer() }
            let error = await bench.speech.answering(AIRequest(prompt: "x", parameters: ["voice": "Rachel"])).failure
            #expect(error?.disposition == (number < 2 ? .retry(after: nil) : .fail), "answer \(number)")
            #expect(error?.billing == nil)
            #expect(bench.transport.calls.allSatisfy { $0.method == .get })
        }
    }

    @Test func `A refusal of the list for another reason is no older server`() async throws {
        let bench = try Bench { _ in .json(#"{"detail":[{"type":"missing"}]}"#, status: 422) }
        await #expect(throws: AIServiceError.self) { try await bench.service.voices() }
        #expect(bench.transport.calls.count == 1)
    }

    @Test func `A server that gives one page again and again is not asked for ever`() async throws {
        let bench = try Bench { call in
            .json(#"{"voices":[],"has_more":true,"next_page_token":"\#(call.url.query()?.count ?? 0)"}"#)
        }
        _ = try await bench.service.voices()
        #expect(bench.transport.calls.count <= 100)
    }

    @Test func `Models that speak are listed`() async throws {
        let bench = try Bench { _ in
            .json(
                #"[{"model_id":"eleven_v3","name":"Eleven v3","can_do_text_to_speech":true,"maximum_text_length_per_request":5000,"languages":[{"language_id":"en","name":"English"}],"model_rates":{"character_cost_multiplier":1.0}},{"model_id":"sts","can_do_text_to_speech":false}]"#
            )
        }
        let models = try await bench.service.models()
        #expect(
            models == [
                ElevenLabsModel(
                    id: "eleven_v3", name: "Eleven v3", languages: ["en"], maximumCharacters: 5000,
                    creditsPerCharacter: 1)
            ])
    }

    @Test func `The subscription says what is left`() async throws {
        let bench = try Bench { _ in
            .json(
                #"{"tier":"creator","character_count":99000,"character_limit":100000,"max_credit_limit_extension":"unlimited","next_character_count_reset_unix":1800000000,"status":"active"}"#
            )
        }
        let subscription = try await bench.service.subscription()
        #expect(
            subscription
                == ElevenLabsSubscription(
                    plan: "creator", usedCredits: 99_000, includedCredits: 100_000,
                    resetsAt: Date(timeIntervalSince1970: 1_800_000_000), mayExceed: true))
        #expect(subscription.creditsLeft == 1000)
        #expect(ElevenLabsSubscription(plan: "", usedCredits: 5, includedCredits: 1).creditsLeft == 0)
    }

    @Test func `What is no list is a failure`() async throws {
        let bench = try Bench { _ in .json(#"{"surprise":1}"#) }
        await #expect(throws: AIServiceError.self) { try await bench.service.voices() }
        await #expect(throws: AIServiceError.self) { try await bench.service.models() }
        await #expect(throws: AIServiceError.self) { try await bench.service.subscription() }
    }
}
