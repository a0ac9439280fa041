import Foundation
import Hablare
import HablareJSON

/// Sends a language model what it is asked, and hands over the answer: as a stream where it comes as one, else whole.
struct TextExchange<Reader: TextReader>: Sendable {
    let service: Reader.Service
    let form: AnswerForm
    var reader: Reader

    // MARK: Streamed

    /// Hands over an answer that is a stream.
    mutating func streamed(
        _ answer: ServiceAnswer, for call: ProviderCall
    ) async throws(AIServiceError) -> ProviderAnswer {
        var gathered = ""
        var isOver = false
        do throws(AIServiceError) {
            isOver = try await answer.forEachEvent { event in
                let step: TextStep
                do throws(TextFault) {
                    step = try reader.read(event)
                } catch {
                    throw failure(error, of: answer)
                }
                switch step {
                // An empty piece is none, but it says that the model is at work: it may think for minutes.
                case .nothing: try await call.yield(Data())
                case .text(let text): try await take(text, &gathered, of: answer, for: call)
                case .end(let rest):
                    try await take(rest, &gathered, of: answer, for: call)
                    return false
                }
                return true
            }
        } catch {
            // Only what it used can be missing now, and an answer that is there is not paid for a second time.
            guard error.category == .network || error.code == .timeout, reader.isComplete else { throw error }
        }
        guard isOver || reader.isComplete else { throw answer.brokenOff() }
        guard form == .text else { return try finished(gathered, of: answer) }
        return try yielded(of: answer)
    }

    private func take(
        _ text: String, _ gathered: inout String, of answer: ServiceAnswer, for call: ProviderCall
    ) async throws {
        guard form == .structured else { return try await call.yield(text) }
        guard text.utf8.count <= Reader.mostText - gathered.utf8.count else {
            throw failure(.tooLarge(limit: Reader.mostText), of: answer)
        }
        gathered += text
        try await call.yield(Data())
    }

    /// The answer whose text was yielded.
    func yielded(of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        let ending = try ending(of: answer)
        return ProviderAnswer(streamed: .text, metadata: ending.metadata, usage: service.charged(reader.usage))
    }

    // MARK: Whole

    /// The answer, of which this is the text.
    func finished(_ text: String, of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        let ending = try ending(of: answer)
        let content = form == .text ? .text(Body(text)) : try value(text, ending)
        return ProviderAnswer(content, metadata: ending.metadata, usage: service.charged(reader.usage))
    }

    private func ending(of answer: ServiceAnswer) throws(AIServiceError) -> TextEnding {
        do throws(TextFault) {
            return try reader.ending(requestID: answer.requestID).mapWords { answer.key?.hidden(in: $0) ?? $0 }
        } catch {
            throw useless(failure(error, of: answer))
        }
    }

    /// The value tree of an answer; null where the model wants tools called first. Words that are no JSON stay the words
    /// that they are: whoever asked for a value may find one in them. It is read as strictly as it is judged.
    private func value(_ text: String, _ ending: TextEnding) throws(AIServiceError) -> ResponseContent {
        if text.isEmpty, ending.hasToolCalls { return .structured(.null) }
        guard ending.finishReason != "refusal" else {
            throw useless(
                AIServiceError(.providerFailed, "The model declines to answer. Word the request in another way."))
        }
        guard !text.isEmpty else {
            let advice =
                ending.finishReason == "length" ? "It was cut: raise max_tokens." : "Ask it again, or ask another one."
            throw useless(AIServiceError(.invalidResponse, "The model answered with no text at all. \(advice)"))
        }
        return ParameterValue(json: Data(text.utf8)).map { .structured($0) } ?? .text(Body(text))
    }

    /// The failure of an answer that is whole and of no use: it is billed like any other.
    private func useless(_ error: AIServiceError) -> AIServiceError { billed(error, hasBegun: true) }

    // MARK: Faults

    /// A failure with what is known of its bill: what the service says was used, and where it does not say, whether it may
    /// charge for what it had begun.
    private func billed(_ error: AIServiceError, hasBegun: Bool) -> AIServiceError {
        if let counted = reader.counted { return error.billed(.billed(service.charged(counted))) }
        guard hasBegun else { return error }
        let used = service.charged(Usage())
        return error.billed(used.costMicroDollars == nil ? .maybeBilled : .billed(used))
    }

    /// What a fault of an answer means, with what is known of its bill.
    ///
    /// - Parameter hasBegun: Whether a part of it came before.
    func failure(_ fault: TextFault, of answer: ServiceAnswer, hasBegun: Bool = false) -> AIServiceError {
        let hasBegun = hasBegun || reader.hasBegun
        return billed(failure(fault, of: answer, afterBegun: hasBegun), hasBegun: hasBegun)
    }

    private func failure(
        _ fault: TextFault, of answer: ServiceAnswer, afterBegun hasBegun: Bool
    ) -> AIServiceError {
        switch fault {
        case .malformed(let what): answer.unreadable(what)
        case .tooLarge(let limit): answer.tooLarge(limit: limit)
        case .failed(let error):
            answer.withoutKey(service.failure(saying: error, in: answer, hasBegun: hasBegun))
        case .cancelled:
            AIServiceError(
                .providerFailed,
                "The response was cancelled at \(answer.service), and not by this request. Retry it if it is still wanted."
            )
        }
    }
}

extension TextExchange where Reader: WholeTextReader {
    /// Makes the call.
    ///
    /// Which of the two comes, a stream or a whole, is the server's word, not ours: some answer whole although a stream
    /// was asked for.
    ///
    /// - Parameter isStreamed: Whether a stream is asked for.
    mutating func run(
        _ path: [String], _ body: ParameterValue, isStreamed: Bool, for call: ProviderCall
    ) async throws(AIServiceError) -> ProviderAnswer {
        let kinds = ["application/json", "text/event-stream"]
        let request = try ServiceRequest.post(
            path, json: body, accepts: isStreamed ? kinds.reversed() : kinds, maximumAnswerBytes: Reader.mostText)
        let answer = try await service.client.send(request, for: call)
        guard answer.mediaType == "text/event-stream" else { return try await whole(answer) }
        return try await streamed(answer, for: call)
    }

    private mutating func whole(_ answer: ServiceAnswer) async throws(AIServiceError) -> ProviderAnswer {
        let value = try await answer.object()
        let text: String
        do throws(TextFault) {
            text = try reader.read(whole: value)
        } catch {
            throw failure(error, of: answer)
        }
        return try finished(text, of: answer)
    }
}
