import Foundation
import Hablare

/// Sends a language model what it is asked, and hands over the answer: as a stream where the request streams, else whole.
///
/// Which of the two comes is the server's word, not ours: some answer whole although a stream was asked for.
struct OpenAITextExchange<Reader: OpenAITextReader>: Sendable {
    let service: OpenAIService
    let form: OpenAIAnswerForm
    var reader: Reader

    /// More than this is not taken of an answer that comes whole, nor put together for a value tree.
    private static var mostText: Int { 16 << 20 }

    /// Whether the answer to a call is asked for as a stream: where somebody may read along. A stream costs more than a
    /// whole answer: accounts must be verified for it with some models, and not every server says what it used.
    static func streams(_ call: ProviderCall, _ form: OpenAIAnswerForm) -> Bool { call.isStreaming && form == .text }

    /// Makes the call.
    mutating func run(
        _ path: [String], _ body: ParameterValue, for call: ProviderCall
    ) async throws(AIServiceError) -> ProviderAnswer {
        let kinds = ["application/json", "text/event-stream"]
        let request = try ServiceRequest.post(
            path, json: body, accepts: Self.streams(call, form) ? kinds.reversed() : kinds,
            maximumAnswerBytes: Self.mostText)
        let answer = try await service.client.send(request, for: call)
        guard answer.mediaType == "text/event-stream" else { return try await whole(answer) }
        return try await streamed(answer, for: call)
    }

    // MARK: Whole

    private mutating func whole(_ answer: ServiceAnswer) async throws(AIServiceError) -> ProviderAnswer {
        guard let value = ParameterValue(json: try await answer.data()), case .object = value else {
            throw answer.unreadable("no JSON object")
        }
        let text: String
        do throws(OpenAIAnswerFault) {
            text = try reader.read(whole: value)
        } catch {
            throw failure(error, of: answer)
        }
        return try finished(text, of: answer)
    }

    /// The answer, of which this is the text.
    func finished(_ text: String, of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        do throws(AIServiceError) {
            let metadata = try reader.answer.metadata(of: answer)
            let content: ResponseContent
            switch form {
            case .text: content = .text(Body(text))
            case .structured: content = .structured(try tree(text, of: answer))
            }
            return ProviderAnswer(content, metadata: metadata, usage: service.charged(reader.answer.usage))
        } catch {
            throw useless(error)
        }
    }

    /// The value tree of an answer; null where the model wants tools called first.
    private func tree(_ text: String, of answer: ServiceAnswer) throws(AIServiceError) -> ParameterValue {
        if text.isEmpty, !reader.answer.tools.isEmpty { return .null }
        guard !reader.answer.isRefusal else {
            throw AIServiceError(.providerFailed, "The model refuses to answer. Word the request in another way.")
        }
        if let value = ParameterValue(json: Data(text.utf8)) { return value }
        guard reader.answer.finishReason != "length" else {
            throw AIServiceError(
                .invalidResponse, "The answer was cut before its end, so it is no JSON. Raise max_tokens.")
        }
        throw AIServiceError(
            .invalidResponse, "The model answered with text that is no JSON. Give it a schema, or ask another one.",
            cause: answer.requestID.map { "request \(ServiceRefusal.word($0))" })
    }

    // MARK: Streamed

    private mutating func streamed(
        _ answer: ServiceAnswer, for call: ProviderCall
    ) async throws(AIServiceError) -> ProviderAnswer {
        var gathered = ""
        var isOver = false
        do throws(AIServiceError) {
            isOver = try await answer.forEachEvent { event in
                let step: OpenAITextStep
                do throws(OpenAIAnswerFault) {
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
        guard isOver || reader.isComplete else { throw brokenOff(answer) }
        guard form == .text else { return try finished(gathered, of: answer) }
        return try yielded(of: answer)
    }

    /// The answer whose text was yielded.
    func yielded(of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        let metadata: [String: String]
        do throws(AIServiceError) {
            metadata = try reader.answer.metadata(of: answer)
        } catch {
            throw useless(error)
        }
        return ProviderAnswer(streamed: .text, metadata: metadata, usage: service.charged(reader.answer.usage))
    }

    private func take(
        _ text: String, _ gathered: inout String, of answer: ServiceAnswer, for call: ProviderCall
    ) async throws {
        guard form == .structured else { return try await call.yield(text) }
        gathered += text
        guard gathered.utf8.count <= Self.mostText else {
            throw AIServiceError(
                .responseTooLarge, "The answer has more than \(Self.mostText) bytes, which is not taken. Ask for less.")
        }
    }

    func brokenOff(_ answer: ServiceAnswer) -> AIServiceError {
        AIServiceError(
            .connectionLost, "\(service.dialect.name) broke off its answer before the end.",
            cause: answer.requestID.map { "request \(ServiceRefusal.word($0))" })
    }

    /// The failure of an answer that is whole and of no use: it is billed like any other.
    private func useless(_ error: AIServiceError) -> AIServiceError {
        let used = service.charged(reader.answer.usage)
        return error.billed(reader.answer.hasUsed || used.costMicroDollars != nil ? .billed(used) : .maybeBilled)
    }

    /// What a fault of an answer means.
    ///
    /// - Parameter hasBegun: Whether a part of it came before.
    func failure(
        _ fault: OpenAIAnswerFault, of answer: ServiceAnswer, hasBegun: Bool = false
    ) -> AIServiceError {
        switch fault {
        case .malformed(let what): answer.unreadable(what)
        case .failed(let error):
            answer.withoutKey(
                service.dialect.failure(
                    inAnswer: error, hasBegun: hasBegun || reader.hasBegun || reader.answer.hasUsed, now: service.date()
                ))
        case .cancelled:
            AIServiceError(
                .providerFailed,
                "The response was cancelled at \(service.dialect.name), and not by this request. Retry it if it is still wanted."
            )
        }
    }
}
