public import Foundation

/// An event of a provider that answers piece by piece. See ``ProviderCall/answer(from:)``.
public enum StreamEvent: Sendable {
    /// The next piece of the answer.
    case chunk(Data)
    /// The progress of the work, between 0 and 1.
    case progress(Double)
    /// The limits that the service reports.
    case limits(ReportedLimits)
    /// The answer is complete. The event contains the answer's kind, metadata and usage. Later events are ignored.
    case finished(StreamedContent, metadata: [String: String] = [:], usage: Usage = Usage())
}

extension ProviderCall {
    /// Answers the call with the events of an asynchronous sequence. Use this method in a provider whose service
    /// streams.
    ///
    /// It reads one event after the other, as fast as the engine accepts the chunks. If the task is cancelled, the
    /// reading ends as soon as the sequence reacts to the cancellation.
    ///
    /// - Returns: The answer, or the error that the sequence threw. An error that is not an ``AIServiceError`` becomes
    ///   ``AIServiceError/Code/providerFailed``. Therefore let the sequence throw an ``AIServiceError``, which states
    ///   whether a retry can help. If the sequence ends without ``StreamEvent/finished(_:metadata:usage:)``, the result
    ///   is the error of a lost connection. The first `finished` event completes the answer. Later events are not read.
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

/// The kind of an answer whose bytes were yielded. See ``ProviderCall/yield(_:)-(Data)``.
public enum StreamedContent: Sendable, Hashable {
    /// Text in UTF-8.
    case text
    /// Bytes of no particular kind.
    case data
    /// Sound.
    case audio(AudioFormat)
    /// An image.
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
