import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareTestKit

@testable import HablareProviders

/// What responses in the background look like.
enum BackgroundScript {
    static let usage = #"{"input_tokens":9,"output_tokens":4}"#

    /// A response as the service has it.
    static func response(
        _ status: String, text: String? = nil, usage: String = "null", _ more: String = "", id: String = "resp_1"
    ) -> String {
        let message = text.map { #"{"type":"message","content":[{"type":"output_text","text":"\#($0)"}]}"# } ?? ""
        return
            #"{"id":"\#(id)","object":"response","model":"m-1","background":true,"status":"\#(status)","output":[\#(message)],"usage":\#(usage)\#(more)}"#
    }

    static func done(_ text: String) -> String { response("completed", text: text, usage: usage) }

    /// The events of a stream: created, a piece each, completed.
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

/// One call of a provider in the background, and everything that happened in it, in its order.
struct BackgroundCall: Sendable {
    /// What the service answers to each call, the last one again and again.
    var answers: [HTTPAnswer]
    var parameters: [String: ParameterValue] = [:]
    var streams = false
    var form = AnswerForm.text
    var remembered: RememberedWork?
    /// Whether anybody wants the work.
    var isWanted = true
    /// What remembering throws, the first times.
    var refusal: (any Error)?
    /// How often.
    var refusals = 1
    /// Where tasks of its own run.
    var executor: (any TaskExecutor)?

    /// What came of it.
    struct Outcome: Sendable {
        var result: Result<ProviderAnswer, AIServiceError>
        /// `POST responses`, `remember resp_1`, `resume`, `yield`, `pause 1.5`, `wanted?` …
        var story: [String]
        var text: String
        var calls: [HTTPCall]
        /// What the next attempt is given.
        var handle: Data?

        var error: AIServiceError? { if case .failure(let error) = result { error } else { nil } }
    }

    /// A clock on which nothing takes time, and which tells of every pause.
    private struct ToldClock: Clock {
        let told: @Sendable (Duration) -> Void
        private let base = ManualClock()

        init(_ told: @escaping @Sendable (Duration) -> Void) { self.told = told }

        var now: ManualClock.Instant { base.now }
        var minimumResolution: Duration { base.minimumResolution }
        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            let pause = base.now.duration(to: deadline)
            // The limit of the farewell: nothing that is told, and it never comes.
            guard pause != .seconds(5) else { return try await base.sleep(until: deadline, tolerance: tolerance) }
            told(pause)
            try Task.checkCancellation()
        }
    }

    /// Makes the call.
    ///
    /// - Parameter word: What its task is cancelled at, as the story begins to tell it.
    func run(cancelledAt word: String? = nil) async throws -> Outcome {
        let story = Guarded<[String]>([])
        let text = Guarded(Data())
        let handle = Guarded(remembered?.handle)
        let refusals = Guarded(self.refusals)
        let tell: @Sendable (String) -> Void = { event in
            story.withLock { $0.append(event) }
            // All but the farewell is told by the task of the call itself.
            if let word, event.hasPrefix(word) { withUnsafeCurrentTask { $0?.cancel() } }
        }
        let left = Guarded(answers)
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
            request: request, remembered: remembered,
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
            wish: { [isWanted] in
                tell("wanted?")
                return isWanted
            })
        // A task of its own, so that the test's is not the one that is cancelled.
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
