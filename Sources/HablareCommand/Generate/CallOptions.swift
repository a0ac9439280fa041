import ArgumentParser
import Foundation
import Hablare

struct CallOptions: ParsableArguments {
    @Flag(help: "Print the answer while it is made, as far as the provider hands it over while it works.")
    var stream = false

    @Flag(help: "With --stream: after a failure or a crash, begin the answer anew; see the exit status 2.")
    var restart = false

    @Flag(help: "With --stream: print what comes at once, and put it on disk up to a second later.")
    var volatile = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How long one attempt may take, or with --stream be silent, before it is ended. Default: of a program 120, \
            of a service what its settings say.
            """, valueName: "seconds"))
    var timeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many attempts are made before a failure is final, where trying again can help at all.",
            valueName: "n"))
    var attempts = RetryPolicy().maximumAttempts

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("From when on the answer is of no use; then it fails.", valueName: "seconds"))
    var deadline: Double?

    @Option(help: "What to do when nobody knows whether its attempt was carried out, and billed.")
    var ifInterrupted = InterruptionOption.runAgain

    // Not the engine's default: a changed program would go unnoticed, and running it costs nothing.
    @Option(
        help: """
            Whether an answer of the last hour to the same prompt will do: use takes it, and says so; refresh asks \
            anew and keeps the answer for others; bypass asks anew and does not keep it.
            """)
    var cache = CacheOption.refresh

    @Option(help: "Before or after what else waits for the provider.")
    var priority = PriorityOption.high

    @Option(help: "What hablare cost adds it up under; may be repeated.")
    var tag: [String] = []

    func validate() throws {
        try EngineOptions.check(timeout: timeout)
        try checkNumber("--attempts", attempts, in: EngineOptions.mostAttempts)
        if let deadline, !(deadline > 0 && deadline <= 10 * 366 * 24 * 3600) {
            throw ValidationError("--deadline is \(deadline). Give seconds from now, more than 0, at most ten years.")
        }
        guard stream || !(restart || volatile) else {
            throw ValidationError("--restart and --volatile are about streams. Add --stream, or leave them out.")
        }
    }

    func request(prompt: Prompt, parameters: [String: ParameterValue], now: Date) -> AIRequest {
        let streaming = StreamingPolicy(durability: volatile ? .volatile : .durable, allowsRestart: restart)
        return AIRequest(
            prompt: prompt, parameters: parameters, priority: priority.priority,
            attemptTimeout: timeout.map { .seconds($0) }, deadline: deadline.map(now.addingTimeInterval),
            maximumAttempts: attempts, unknownOutcome: ifInterrupted.policy, streaming: stream ? streaming : nil,
            caching: cache.policy, tags: tag)
    }
}
