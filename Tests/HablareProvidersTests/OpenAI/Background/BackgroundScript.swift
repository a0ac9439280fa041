import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareSupport
import HablareTestKit

@testable import HablareProviders

/// Background responses in the service's form.
enum BackgroundScript {
    static let usage = #"{"input_tokens":9,"output_tokens":4}"#

    /// Returns a response in the service's form.
    static func response(
        _ status: String, text: String? = nil, usage: String = "null", _ more: String = "", id: String = "resp_1"
    ) -> String {
        let message = text.map { #"{"type":"message","content":[{"type":"output_text","text":"\#($0)"}]}"# } ?? ""
        return
            #"{"id":"\#(id)","object":"response","model":"m-1","background":true,"status":"\#(status)","output":[\#(message)],"usage":\#(usage)\#(more)}"#
    }

    static func done(_ text: String) -> String { response("completed", text: text, usage: usage) }

    /// Returns the events of a stream: created, one per piece, completed.
    static func events(_ pieces: [String]) -> [String] {
        let created = event("response.created", #""response":\#(response("queued"))"#, 0)
        let deltas = pieces.enumerated().map { number, piece in
            event("response.output_text.delta", #""delta":"\#(piece)""#, number + 1)
        }
        let end = event("response.completed", #""response":\#(done(pieces.joined()))"#, pieces.count + 1)
        return [created] + deltas + [end]
    }

    static func event(_ type: String, _ members: String, _ number: Int) -> String {
        "event: \(type)\ndata: {\"type\":\"\(type)\",\"sequence_number\":\(number),\(members)}\n\n"
    }

    static func handle(_ id: String = "resp_1", _ marks: [(Int64, Int)] = []) throws -> Data {
        let marks = marks.map { ParameterValue.array([.int($0.0), .int(Int64($0.1))]) }
        return try ParameterValue.object(["id": .string(id), "marks": .array(marks)]).jsonData()
    }
}

/// One call of a provider for a background response. It records every event in order.
struct BackgroundCall: Sendable {
    /// The service's answers to the calls; the last one repeats.
    var answers: [HTTPAnswer]
    var parameters: [String: ParameterValue] = [:]
    var streams = false
    var form = AnswerForm.text
    var resumePoint: ResumePoint?
    /// Whether the request still wants the work.
    var isWanted = true
    /// The error that the first calls of `remember` throw.
    var refusal: (any Error)?
    /// The number of calls that throw it.
    var refusals = 1
    /// The executor for the provider's own tasks.
    var executor: (any TaskExecutor)?

    /// The outcome of the call.
    struct Outcome: Sendable {
        var result: Result<ProviderAnswer, AIServiceError>
        /// The events: `POST responses`, `remember resp_1`, `resume`, `yield`, `pause 1.5`, `wanted?` …
        var story: [String]
        var text: String
        var calls: [HTTPCall]
        /// The handle for the next attempt.
        var handle: Data?

        var error: AIServiceError? { if case .failure(let error) = result { error } else { nil } }
    }

    /// A clock whose pauses take no time and are reported.
    private struct ToldClock: Clock {
        let told: @Sendable (Duration) -> Void
        private let base = ManualClock()

        init(_ told: @escaping @Sendable (Duration) -> Void) { self.told = told }

        var now: ManualClock.Instant { base.now }
        var minimumResolution: Duration { base.minimumResolution }
        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            let pause = base.now.duration(to: deadline)
            // The time limit of the farewell is not reported and never expires.
            guard pause != .seconds(5) else { return try await base.sleep(until: deadline, tolerance: tolerance) }
            told(pause)
            try Task.checkCancellation()
        }
    }

    /// Makes the call.
    ///
    /// - Parameter word: The beginning of the event at which the task is cancelled.
    func run(cancelledAt word: String? = nil) async throws -> Outcome {
        let story = Locked<[String]>([])
        let text = Locked(Data())
        let handle = Locked(resumePoint?.handle)
        let refusals = Locked(self.refusals)
        let tell: @Sendable (String) -> Void = { event in
            story.withLock { $0.append(event) }
            // Every event except those of the farewell is reported by the call's own task.
            if let word, event.hasPrefix(word) { withUnsafeCurrentTask { $0?.cancel() } }
        }
        let left = Locked(answers)
        let transport = ScriptedTransport { call in
            tell(
                "\(call.method.rawValue) \(call.url.path.replacing("/v1/", with: ""))\(call.url.query.map { "?\($0)" } ?? "")"
            )
            try Task.checkCancellation()
            return left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
        let provider = OpenAIResponsesProvider(
            "openai", service: try OpenAIBench().service(transport), model: "gpt-5", form: form,
            clock: ToldClock { tell("pause \($0 / .seconds(1))") }, taskExecutor: executor)
        let request = AIRequest(
            prompt: "Greet.", parameters: parameters.merging(["background": true]) { own, _ in own },
            streaming: streams ? StreamingPolicy() : nil)
        let call = ProviderCall(
            request: request, resumePoint: resumePoint,
            chunks: { piece in
                tell(piece.isEmpty ? "sign" : "yield \(String(decoding: piece, as: UTF8.self))")
                text.withLock { $0.append(piece) }
            },
            handles: { [refusal] new in
                let name = new.flatMap { ParameterValue(json: $0)?[member: "id"]?.string }
                tell(name.map { "remember \($0)" } ?? "forget")
                let isRefused = refusals.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if isRefused, let refusal { throw refusal }
                handle.withLock { $0 = new }
            },
            resumption: { tell("resume") },
            isWanted: { [isWanted] in
                tell("wanted?")
                return isWanted
            })
        // A separate task, so that the test's own task is not cancelled.
        let result = await withTaskGroup(of: Result<ProviderAnswer, AIServiceError>?.self) { group in
            group.addTask { await provider.generate(call) }
            return await group.next() ?? nil
        }
        return Outcome(
            result: result ?? .failure(.attemptCancelled), story: story.withLock { $0 },
            text: String(decoding: text.withLock { $0 }, as: UTF8.self), calls: transport.calls,
            handle: handle.withLock { $0 })
    }
}
