import Foundation
import Hablare
import HablareJSON

/// One call of a language model. It sends the request, and yields or returns the answer.
struct TextExchange<Reader: TextReader>: Sendable {
    let service: Reader.Service
    let form: AnswerForm
    var reader: Reader

    // MARK: Streamed

    /// Yields a streamed answer.
    mutating func streamed(
        _ answer: ServiceAnswer, for call: ProviderCall
    ) async throws(AIServiceError) -> ProviderAnswer {
        var gathered = ""
        try await receive(answer, into: &gathered, for: call)
        return try ended(gathered, of: answer)
    }

    /// Yields the text of a streamed answer as it arrives. If the answer is a JSON value, collects the text instead.
    mutating func receive(
        _ answer: ServiceAnswer, into gathered: inout String, for call: ProviderCall
    ) async throws(AIServiceError) {
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
                // An empty piece shows that the model is at work: it may think for minutes.
                case .nothing: try await call.yield(Data())
                case .text(let text): try await take(text, &gathered, of: answer, for: call)
                case .end(let remainder):
                    try await take(remainder, &gathered, of: answer, for: call)
                    return false
                }
                return true
            }
        } catch {
            // Only the usage can still be missing. The answer is complete, so it is not requested and paid for again.
            guard error.category == .network || error.code == .timeout, reader.isComplete else { throw error }
        }
        guard isOver || reader.isComplete else { throw answer.brokenOff() }
    }

    /// Returns the answer that was received.
    func ended(_ gathered: String, of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        guard form == .text else { return try finished(gathered, of: answer) }
        return try yielded(of: answer)
    }

    /// Returns the error for a failed call that should have continued a paused answer. The earlier part of the answer
    /// is complete and billed. Therefore the error has the usage of that part, and if it is retryable, its outcome is
    /// unknown.
    func afterPause(_ error: AIServiceError) -> AIServiceError {
        guard error.disposition != .outcomeUnknown, error.code != .cancelled else { return error.afterwards }
        return error.afterwards.billed(.billed(service.charged(reader.usage)))
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

    /// Returns the answer after its text was yielded.
    func yielded(of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        let ending = try ending(of: answer)
        return ProviderAnswer(streamed: .text, metadata: ending.metadata, usage: service.charged(reader.usage))
    }

    // MARK: Whole

    /// Returns the answer with this text.
    func finished(_ text: String, of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        let ending = try ending(of: answer)
        let content = form == .text ? .text(Body(text)) : try value(text, ending)
        return ProviderAnswer(content, metadata: ending.metadata, usage: service.charged(reader.usage))
    }

    private func ending(of answer: ServiceAnswer) throws(AIServiceError) -> TextEnding {
        do throws(TextFault) {
            return try reader.ending(requestID: answer.requestID).mapWords { answer.keys.hidden(in: $0) }
        } catch {
            throw useless(failure(error, of: answer))
        }
    }

    /// Returns the answer's JSON value. If the model asks for tool calls first, returns null. A text that is not JSON
    /// is returned as text, because the caller may still find a value in it. The parser is as strict as the later
    /// validation.
    private func value(_ text: String, _ ending: TextEnding) throws(AIServiceError) -> ResponseContent {
        if text.isEmpty, ending.hasToolCalls { return .structured(.null) }
        guard ending.finishReason != "refusal" else {
            throw useless(
                AIServiceError(.providerFailed, "The model declined to answer. Change the wording of the request."))
        }
        guard !text.isEmpty else {
            let advice =
                ending.finishReason == "length"
                ? "The answer was cut. Raise max_tokens." : "Retry, or use another model."
            throw useless(AIServiceError(.invalidResponse, "The model answered without text. \(advice)"))
        }
        return ParameterValue(json: Data(text.utf8)).map { .structured($0) } ?? .text(Body(text))
    }

    /// Returns the error for an answer that is complete but unusable. The service bills such an answer like a usable
    /// one.
    private func useless(_ error: AIServiceError) -> AIServiceError { billed(error, hasBegun: true) }

    // MARK: Faults

    /// Returns an error with its billing. If the service reports the usage, the error has that usage. Otherwise the
    /// error says whether output that had begun may be billed.
    private func billed(_ error: AIServiceError, hasBegun: Bool) -> AIServiceError {
        if let counted = reader.counted { return error.billed(.billed(service.charged(counted))) }
        guard hasBegun else { return error }
        let used = service.charged(Usage())
        return error.billed(used.costMicroDollars == nil ? .maybeBilled : .billed(used))
    }

    /// Returns the error for a fault of an answer, with its billing.
    ///
    /// - Parameter hasBegun: Whether a part of the answer arrived before the fault.
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
            answer.withoutKey(
                answer.quoting(error, service.failure(saying: error, in: answer, hasBegun: hasBegun)))
        case .cancelled:
            AIServiceError(
                .providerFailed,
                """
                The response was cancelled at \(answer.service), but not by this request. Retry it if you still need \
                it.
                """
            )
        }
    }
}

extension TextExchange where Reader: WholeTextReader {
    /// Sends the call and returns its answer.
    ///
    /// The server decides whether it sends a stream or a whole answer. Some servers send a whole answer, although a
    /// stream is requested.
    ///
    /// - Parameter isStreamed: Whether to request a stream.
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
        let body = try await answer.data()
        return try read(try answer.object(of: body), of: answer, keeping: body)
    }

    /// Reads a whole answer from its value.
    ///
    /// - Parameter body: The bytes of the value. If the value is unusable, the error keeps these bytes. Default: empty.
    mutating func read(
        _ value: ParameterValue, of answer: ServiceAnswer, keeping body: Data = Data()
    ) throws(AIServiceError) -> ProviderAnswer {
        let text: String
        do throws(TextFault) {
            text = try reader.read(whole: value)
        } catch {
            let failure = failure(error, of: answer)
            throw failure.code == .invalidResponse ? failure.keeping(answer.kept(body)) : failure
        }
        return try finished(text, of: answer)
    }
}
