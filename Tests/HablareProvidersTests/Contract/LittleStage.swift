import Foundation
import Hablare
import HablareTestKit

/// A stage without a network, for deliberately broken providers.
struct LittleStage: ProviderStage {
    var defect: LittleDefect?

    let name = "little"
    let responseType = ContentType.text
    let usage = Usage(inputTokens: 11, outputTokens: 7)
    let limits: ReportedLimits? = ReportedLimits(concurrency: 3)
    let mostGathered = 1 << 20
    let signCount = 2
    let mistakeCount = 2
    let repetitionCount = 2
    let flood = ProviderFailureRow("a page of 10 MB", .overloaded)
    let failures = [
        ProviderFailureRow("bad", .invalidRequest), ProviderFailureRow("poor", .quotaExceeded),
        ProviderFailureRow("busy", .rateLimited, .retry(after: .seconds(2))),
    ]

    /// Computed, because a stored key would appear in a dump of the stage.
    var keys: [String] { ["little-key-0123456789", "little-key-9876543210"] }

    func request(_ prompt: String, _ mode: ProviderMode) -> AIRequest {
        AIRequest(prompt: .text(prompt), streaming: mode == .streamed ? StreamingPolicy() : nil)
    }

    func content(for number: Int) -> ResponseContent { .text(Body(Self.words(number))) }

    func byteCount(of play: ServicePlay, _ mode: ProviderMode) -> Int { LittleService.answer(to: 0).utf8.count }

    func provider(changing change: ProviderChange?) throws -> (any AIServiceProvider)? {
        LittleProvider(
            service: LittleService(.isSilent, stage: self), key: keys[change == .key ? 1 : 0],
            address: change == .address ? "there" : "here", model: change == .model ? "b" : "a", defect: defect)
    }

    func withScene<R: Sendable>(
        _ play: ServicePlay, _ body: @escaping @Sendable (any ProviderScene) async throws -> R
    ) async throws -> R {
        let service = LittleService(play, stage: self)
        let provider = LittleProvider(service: service, key: keys[0], address: "here", model: "a", defect: defect)
        return try await body(LittleScene(provider: provider, service: service))
    }

    static func words(_ number: Int) -> String { "A quokka \(ProviderContract.text(of: number))" }
}

/// The possible defects of a provider.
enum LittleDefect: String, Sendable, CaseIterable {
    case answersAnotherKind, saysNoUsage, yieldsAndAnswers, takesOnePieceForAll, keepsAllBack, answersTheFirstCaller
    case saysNoLimits, retriesWithoutMoney, readsWholePages, takesAnything, takesPartForWhole, retriesWhatWasLost
    case takesEarlyEndForEnd, isDeaf, isDeafInTheMiddle, callsCancellationAnError, sendsAfterCancellation
    case dropsWhatIsNotTaken, gathersWithoutEnd, waitsForEver, tellsKey, tellsPrompt, hasKeyBesideAnswers, logsKey
    case keepsSignsBack, showsKey, isSameEverywhere, isAnotherWithAnotherKey, allowsNoCall, promisesTooLittle
    case promisesLessThanNothing
}
