public import Hablare

/// The limits of a ``ToolLoop``.
///
/// Reaching a limit ends the loop with ``/Hablare/AIServiceError/Code/toolLimitReached`` or, for the time,
/// ``/Hablare/AIServiceError/Code/deadlineExceeded``. To continue after a limit of turns or cost, run the loop again
/// with the same job key and a higher limit.
public struct ToolLimits: Sendable, Hashable {
    /// The maximum number of model turns, from 1 to 1,000. Default 16.
    public var turns: Int
    /// The maximum number of calls in one turn, from 1 to 1,000. The model reads an error for each call above it.
    /// Default 32.
    public var callsPerTurn: Int
    /// The maximum time from the submission of the first turn to the end of the loop, more than 0. A loop that is
    /// resumed keeps its original end. `nil`, the default: the deadline of the request, if it has one.
    public var time: Duration?
    /// The amount in millionths of a US dollar after which no turn and no tool is started, 0 or more. It counts all
    /// attempts of the job, also failed ones. `nil`, the default: no limit.
    ///
    /// The loop checks it before each turn and before the tools of a turn, so the last turn may exceed it. For a limit
    /// that no call exceeds, give the engine a ``/Hablare/Budget`` with the scope `.job`.
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
        AIServiceError(.invalidConfiguration, "The limit \(name) of a tool loop is not \(range). Change it.")
    }

    /// Throws if another turn would exceed the number of turns.
    func checkTurn(_ number: Int) throws(AIServiceError) {
        guard number > turns else { return }
        throw Self.reached(
            "The model has had \(turns) turns and calls tools again. Allow more turns, or ask for less.")
    }

    /// Throws if the attempts of the job have used up the amount.
    func checkCost(_ spent: LedgerSum) throws(AIServiceError) {
        guard let microDollars else { return }
        guard spent.withoutCost == 0 else {
            throw Self.reached(
                "The cost of a call is unknown, so the limit of cost cannot be kept. Add its price to the price table, or limit the turns instead."
            )
        }
        guard spent.usage.costMicroDollars ?? 0 >= microDollars, spent.attempts > 0 else { return }
        throw Self.reached("The limit of cost is used up. Allow more, or ask for less.")
    }

    private static func reached(_ message: String) -> AIServiceError {
        AIServiceError(
            .toolLimitReached, "\(message) The turns so far are kept: the same job key continues from there.",
            category: .operation, disposition: .needsUser)
    }
}

extension AIServiceError.Code {
    /// A limit of a tool loop is reached before the model has answered.
    public static let toolLimitReached = Self(rawValue: "tool-limit-reached")
    /// A request of a tool loop is held, because its outcome is unknown, or the decision about a call is postponed.
    public static let requestHeld = Self(rawValue: "request-held")
}
