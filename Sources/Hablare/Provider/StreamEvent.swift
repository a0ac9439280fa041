public import Foundation

/// What a provider that answers piece by piece has to say, see ``ProviderCall/answer(from:)``.
public enum StreamEvent: Sendable {
    /// The next piece of the answer.
    case chunk(Data)
    /// How far the work is, between 0 and 1.
    case progress(Double)
    /// What the provider says of its limits.
    case limits(ReportedLimits)
    /// The answer is complete: its kind, and what the provider says beside it. The last event: what comes after it,
    /// also another end, is not looked at.
    case finished(StreamedContent, metadata: [String: String] = [:], usage: Usage = Usage())
}

extension ProviderCall {
    /// Answers with what a sequence of events says, to its end: the natural form for a provider whose service streams.
    ///
    /// Takes one event after the other, as fast as the engine takes the chunks. Cancelling the task ends it, as far as
    /// the sequence listens.
    ///
    /// - Returns: The answer; or the error that the sequence threw. An error that is no ``AIServiceError`` becomes
    ///   ``AIServiceError/Code/providerFailed``: throw one that says whether trying again can help. A sequence that ends
    ///   before ``StreamEvent/finished(_:metadata:usage:)`` lost its connection. The first such event is the answer: the
    ///   sequence is let go then, and nobody waits for its end or hears what else it has to say.
    public func answer<Events: AsyncSequence>(
        from events: Events
    ) async -> Result<ProviderAnswer, AIServiceError> where Events.Element == StreamEvent {
        do {
            for try await event in events {
                switch event {
                case .chunk(let bytes): try await yield(bytes)
                case .progress(let fraction): report(progress: fraction)
                case .limits(let reported): report(limits: reported)
                case .finished(let content, let metadata, let usage):
                    return .success(ProviderAnswer(streamed: content, metadata: metadata, usage: usage))
                }
            }
            return .failure(
                AIServiceError(.connectionLost, "The provider's stream ended before its answer was complete."))
        } catch let error as AIServiceError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(.attemptCancelled)
        } catch {
            return .failure(
                AIServiceError(.providerFailed, "The provider's stream failed.", cause: "\(type(of: error))"))
        }
    }
}

/// The kind of an answer whose bytes were yielded, see ``ProviderCall/yield(_:)-(Data)``.
public enum StreamedContent: Sendable, Hashable {
    /// Text in UTF-8.
    case text
    /// Bytes without a closer meaning.
    case data
    /// Sound.
    case audio(AudioFormat)
    /// A picture.
    case image(ImageFormat)

    package func content(_ body: Body) -> ResponseContent {
        switch self {
        case .text: .text(body)
        case .data: .data(body)
        case .audio(let format): .audio(body, format)
        case .image(let format): .image(body, format)
        }
    }
}
