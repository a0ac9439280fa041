import ArgumentParser
import Foundation
import Hablare

struct CallOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Print the answer as it arrives. Default: for a text that goes to a terminal.")
    var stream: Bool?

    @Flag(
        help: """
            With --stream: after a failure or crash, request the answer again from the beginning. See exit status 2.
            """)
    var restart = false

    @Flag(help: "With --stream: print text at once, before it is stored. The text is stored up to a second later.")
    var volatile = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            End an attempt after this time. With --stream: end an attempt if nothing arrives for this time. Default: \
            for a service, services.NAME.timeout in the settings. For a program, 120.
            """, valueName: "seconds"))
    var timeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum number of attempts. Only temporary failures are retried.",
            valueName: "n"))
    var attempts = RetryPolicy().maximumAttempts

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Fail the request if there is no answer after this time, such as 90 (seconds), 30m, 24h or 2d. With 2 hours \
            or more, OpenAI and Anthropic answer the request in a batch, at half of the price.
            """, valueName: "time"))
    var deadline: DeadlineOption?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Send the request in a batch of the service, at half of the price. If there is no answer half an hour \
            before the deadline, the request is sent as a normal call. Default: a batch if the --deadline is 2 hours \
            or more. --batch without --deadline sets a deadline of 24 hours.
            """)
    var batch: Bool?

    @Option(
        help: ArgumentHelp(
            """
            What to do if a call's outcome is unknown and the call may have been billed: call again, or hold the \
            request for your decision.
            """, valueName: "action"))
    var ifInterrupted = InterruptionOption.runAgain

    // Not the engine's default: a changed program would go unnoticed, and running it costs nothing.
    @Option(
        help: ArgumentHelp(
            """
            use: reuse the answer to an equal request if it is less than an hour old. refresh: request a new answer \
            that later requests can reuse. bypass: request a new answer that no other request can reuse.
            """, valueName: "policy"))
    var cache = CacheOption.refresh

    @Option(help: "The priority of this request among the requests that wait for the provider.")
    var priority = PriorityOption.high

    @Option(help: "A label for `hablare cost --by tag`. Can be repeated.")
    var tag: [String] = []

    func validate() throws {
        try EngineOptions.check(timeout: timeout)
        try checkNumber("--attempts", attempts, in: EngineOptions.mostAttempts)
        if let deadline, deadline.seconds == nil {
            throw ValidationError(
                """
                --deadline is \(deadline.text). Give a time from now, such as 90 (seconds), 30m, 24h or 2d, more than 0 \
                and at most ten years.
                """)
        }
        guard stream == true || !(restart || volatile) else {
            throw ValidationError("--restart and --volatile need --stream. Add --stream, or leave them out.")
        }
    }

    /// - Parameter isStream: Whether the answer is to be printed as it arrives. If the user did not request this with
    ///   `--stream`, an interrupted answer begins again, as without a stream.
    func request(
        prompt: Prompt, parameters: [String: ParameterValue], isStream: Bool, now: Date
    ) -> AIRequest {
        let streaming = StreamingPolicy(
            durability: volatile ? .volatile : .durable, allowsRestart: restart || stream == nil)
        return AIRequest(
            prompt: prompt, parameters: parameters, priority: priority.priority,
            attemptTimeout: timeout.map { .seconds($0) }, deadline: deadline?.seconds.map(now.addingTimeInterval),
            maximumAttempts: attempts, unknownOutcome: ifInterrupted.policy, streaming: isStream ? streaming : nil,
            caching: cache.policy, tags: tag)
    }
}

/// The value of `--deadline`: a number of seconds, or a duration with its unit.
struct DeadlineOption: ExpressibleByArgument, Sendable, Hashable {
    let text: String
    /// The time from now in seconds; `nil` if the text is not a time, or is not between 0 and ten years.
    let seconds: Double?

    init(argument text: String) {
        self.text = text
        let seconds = Double(text) ?? SettingKind.duration(text)?.inSeconds
        self.seconds = seconds.flatMap { $0 > 0 && $0 <= 10 * 366 * 24 * 3600 ? $0 : nil }
    }
}
