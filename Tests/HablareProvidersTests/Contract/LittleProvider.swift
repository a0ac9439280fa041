import Foundation
import Hablare
import HablareSupport
import HablareTestKit
import Logging

/// A provider for a ``LittleService``, correct except for its defect.
struct LittleProvider: AIServiceProvider {
    let service: LittleService
    private let address: String
    private let model: String
    private let defect: LittleDefect?
    private let key: @Sendable () -> String
    private let shownKey: String?
    private let first = Locked<String?>(nil)

    init(service: LittleService, key: String, address: String, model: String, defect: LittleDefect?) {
        self.service = service
        self.address = address
        self.model = model
        self.defect = defect
        self.key = { key }
        shownKey = defect == .showsKey ? key : nil
    }

    let id: ProviderID = "little"
    let responseType = ContentType.text
    var limits: ProviderLimits { ProviderLimits(concurrency: defect == .allowsNoCall ? 0 : 4) }
    var instance: ProviderInstance {
        let location =
            switch defect {
            case .isSameEverywhere: "everywhere"
            case .isAnotherWithAnotherKey: "\(address) \(model) \(key())"
            default: "\(address) \(model)"
            }
        return ProviderInstance(kind: "little", location: location)
    }

    func maximumUsage(of request: AIRequest) -> Usage? {
        Usage(
            inputTokens: defect == .promisesTooLittle ? 1 : 100, outputTokens: 100,
            bytes: defect == .promisesLessThanNothing ? -1 : 0)
    }

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        if defect == .logsKey { Logger(label: "little").debug("A call", metadata: ["key": "\(key())"]) }
        if Task.isCancelled, defect != .sendsAfterCancellation { return .failure(cancelled) }
        let exchange = service.ask(
            call.request.prompt.plainText, key: key(),
            isImpatient: call.timeout < .seconds(1) && defect != .waitsForEver)
        do {
            return .success(try await answer(call, exchange))
        } catch let error as AIServiceError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(defect == .callsCancellationAnError ? lost : cancelled)
        } catch LittleService.Failure.silent {
            return .failure(AIServiceError(.timeout, "The service was silent."))
        } catch {
            return .failure(lost)
        }
    }

    private func answer(_ call: ProviderCall, _ exchange: LittleExchange) async throws -> ProviderAnswer {
        var line = LittleLine()
        var gathered = ""
        var isOver = false
        var count = 0
        while !isOver, let piece = try await next(exchange, count) {
            count += 1
            if piece.isEmpty, defect != .keepsSignsBack { try await call.yield(Data()) }
            var text = line.take(piece)
            if let head = line.head, !line.isTold {
                line.isTold = true
                try await judge(head, call, exchange)
            }
            if let end = text.firstIndex(of: "\n") {
                text = String(text[..<end])
                isOver = true
            }
            gathered += text
            if defect != .gathersWithoutEnd, !call.isStreaming, gathered.utf8.count > 1 << 20 {
                throw AIServiceError(.responseTooLarge, "The answer is too large.")
            }
            if call.isStreaming, !text.isEmpty, defect != .keepsAllBack {
                do { try await call.yield(text) } catch { if defect != .dropsWhatIsNotTaken { throw error } }
            }
            if defect == .takesOnePieceForAll { isOver = true }
        }
        let isTaken = defect == .takesEarlyEndForEnd || defect == .takesAnything || defect == .takesPartForWhole
        guard isOver && line.head != nil || isTaken || defect == .takesOnePieceForAll else {
            throw AIServiceError(.invalidResponse, "The service answered with something else.")
        }
        if call.isStreaming, defect == .keepsAllBack { try await call.yield(gathered) }
        return made(gathered, line.head, call)
    }

    private func next(_ exchange: LittleExchange, _ count: Int) async throws -> String? {
        let isDeaf = defect == .isDeaf || defect == .isDeafInTheMiddle && count > 0
        do {
            return try await exchange.next(isDeaf: isDeaf)
        } catch LittleService.Failure.lost where defect == .takesPartForWhole {
            return nil
        }
    }

    private func made(_ text: String, _ head: LittleLine.Head?, _ call: ProviderCall) -> ProviderAnswer {
        var text = text
        if defect == .answersTheFirstCaller {
            text = first.withLock { first in
                first = first ?? text
                return first ?? text
            }
        }
        let usage = defect == .saysNoUsage ? Usage() : Usage(inputTokens: 11, outputTokens: 7)
        let metadata = defect == .hasKeyBesideAnswers ? ["limit": head?.limit ?? ""] : [:]
        if defect == .answersAnotherKind { return ProviderAnswer(.data(Body(text)), metadata: metadata, usage: usage) }
        guard call.isStreaming, defect != .yieldsAndAnswers, defect != .answersTheFirstCaller else {
            return ProviderAnswer(.text(Body(text)), metadata: metadata, usage: usage)
        }
        return ProviderAnswer(streamed: .text, metadata: metadata, usage: usage)
    }

    private func judge(_ head: LittleLine.Head, _ call: ProviderCall, _ exchange: LittleExchange) async throws {
        if defect != .saysNoLimits, let most = Int(head.limit) {
            call.report(limits: ReportedLimits(concurrency: most))
        }
        guard head.word != "ok" else { return }
        if defect == .readsWholePages { while try await exchange.next() != nil {} }
        let said =
            switch defect {
            case .tellsKey: key()
            case .tellsPrompt: call.request.prompt.plainText
            default: "no more"
            }
        let code: AIServiceError.Code
        var disposition: FailureDisposition?
        switch head.word {
        case "bad": code = .invalidRequest
        case "poor":
            code = .quotaExceeded
            if defect == .retriesWithoutMoney { disposition = .retry(after: nil) }
        case "busy": (code, disposition) = (.rateLimited, .retry(after: .seconds(2)))
        default: code = .overloaded
        }
        throw AIServiceError(code, "The service says \(said).", disposition: disposition)
    }

    private var lost: AIServiceError {
        AIServiceError(
            .connectionLost, "The way was lost.",
            disposition: defect == .retriesWhatWasLost ? .retry(after: nil) : .outcomeUnknown)
    }

    private var cancelled: AIServiceError { AIServiceError(.cancelled, "The call was cancelled.") }
}

/// A parser for an answer's line: a word, a number, and the text.
struct LittleLine: Sendable {
    struct Head: Sendable, Hashable {
        let word: String
        let limit: String
    }

    private(set) var head: Head?
    /// Whether the head has been read.
    var isTold = false
    private var beginning = ""

    /// Adds a piece, and returns its part of the text.
    mutating func take(_ piece: String) -> String {
        guard head == nil else { return piece }
        beginning += piece
        let parts = beginning.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return "" }
        head = Head(word: String(parts[0]), limit: String(parts[1]))
        return String(parts[2])
    }
}
