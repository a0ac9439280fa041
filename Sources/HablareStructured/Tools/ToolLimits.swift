public import Hablare

/// The limits of a ``ToolLoop``.
///
/// When a limit is reached, the loop throws an error with the code `AIServiceError.Code.toolLimitReached`. The code is
/// ``/Hablare/AIServiceError/Code/deadlineExceeded`` for the time limit. After the limit of turns or of cost, you can
/// continue: run the loop again with the same job key and a higher limit.
public struct ToolLimits: Sendable, Hashable {
    /// The maximum number of the model's turns, from 1 to 1,000. Default: 16.
    public var turns: Int
    /// The maximum number of calls in one turn, from 1 to 1,000. If the model requests more calls, it receives an error
    /// for each further call. Default: 32.
    public var callsPerTurn: Int
    /// The maximum time from the submission of the first turn to the end of the loop, more than 0. If a loop is
    /// resumed, its original time limit still applies. With `nil`, the default, only the deadline of the request
    /// applies, if it has one.
    public var time: Duration?
    /// The cost, in millionths of a US dollar, from which the loop starts no further turn and no further tool. 0 or
    /// more. The cost of all attempts of the job is counted, including failed attempts. With `nil`, the default, there
    /// is no limit.
    ///
    /// The loop checks the cost before each turn and before the tools of a turn. The cost of the last turn may
    /// therefore exceed the limit. For a limit that is never exceeded, configure the engine with a ``/Hablare/Budget``
    /// whose scope is the job (`.job`).
    public var microDollars: Int64?

    /// Creates limits.
    public init(turns: Int = 16, callsPerTurn: Int = 32, time: Duration? = nil, microDollars: Int64? = nil) {
        self.turns = turns
        self.callsPerTurn = callsPerTurn
        self.time = time
        self.microDollars = microDollars
    }

    func check() throws(AIServiceError) {
        guard (1...1_000).contains(turns) else { throw Self.refusal("turns", "between 1 and 1000") }
        guard (1...1_000).contains(callsPerTurn) else { throw Self.refusal("callsPerTurn", "between 1 and 1000") }
        guard time ?? .seconds(1) > .zero else { throw Self.refusal("time", "more than 0") }
        guard microDollars ?? 0 >= 0 else { throw Self.refusal("microDollars", "0 or more") }
    }

    private static func refusal(_ name: String, _ range: String) -> AIServiceError {
        AIServiceError(.invalidConfiguration, "The limit `\(name)` of the tool loop is not \(range). Change the limit.")
    }

    /// Throws an error if the turn with this number would exceed the maximum number of turns.
    func checkTurn(_ number: Int) throws(AIServiceError) {
        guard number > turns else { return }
        throw Self.reached(
            "The model has used its \(turns) turns and calls tools again. Allow more turns, or simplify the task.")
    }

    /// Throws an error if the attempts of the job have reached the cost limit.
    func checkCost(_ spent: LedgerSum) throws(AIServiceError) {
        guard let microDollars else { return }
        guard spent.withoutCost == 0 else {
            throw Self.reached(
                "The cost of a call is unknown, so the cost limit cannot be checked. Add the model's price to the price table, or use a limit of turns instead."
            )
        }
        guard spent.usage.costMicroDollars ?? 0 >= microDollars, spent.attempts > 0 else { return }
        throw Self.reached("The cost limit is reached. Increase `microDollars`, or simplify the task.")
    }

    private static func reached(_ message: String) -> AIServiceError {
        AIServiceError(
            .toolLimitReached,
            "\(message) The finished turns are kept. To continue, run the loop again with the same job key.",
            category: .operation, disposition: .needsUser)
    }
}

extension AIServiceError.Code {
    /// A tool loop reached a limit before the model answered.
    public static let toolLimitReached = Self(rawValue: "tool-limit-reached")
    /// The tool loop cannot continue, because one of its requests is held after an unknown outcome, or because the
    /// decision about a tool call was postponed.
    public static let requestHeld = Self(rawValue: "request-held")
}
