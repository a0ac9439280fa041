import Hablare

/// A list of rules that every provider must follow. For each rule, a simulated service shows a certain behaviour, and
/// the rule checks how the provider reacts. You can run the rules with any test framework: run each rule as one case of
/// a parameterized test.
///
/// ```swift
/// @Test(arguments: ProviderContract.rules(for: MyStage())) func keeps(_ rule: ProviderContract.Rule) async throws {
///     try await ProviderContract(MyStage()).check(rule)
/// }
/// ```
///
/// If the provider violates a rule, ``check(_:)`` throws a ``ContractViolation`` that names the rule and the problem.
/// Two further checks apply in every rule: no error may contain the prompt or a key, and no metadata may contain a key.
public struct ProviderContract: Sendable {
    /// One rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let applies: @Sendable (any ProviderStage) -> Bool
        let body: @Sendable (ProviderWorkbench) async throws -> Void

        init(
            _ name: String, where applies: @escaping @Sendable (any ProviderStage) -> Bool = { _ in true },
            _ body: @escaping @Sendable (ProviderWorkbench) async throws -> Void
        ) {
            self.name = name
            self.applies = applies
            self.body = body
        }

        /// Creates a rule. It applies to providers whose service can simulate a behaviour.
        init(
            _ name: String, of play: ServicePlay,
            where applies: @escaping @Sendable (any ProviderStage) -> Bool = { _ in true },
            _ body: @escaping @Sendable (ProviderWorkbench) async throws -> Void
        ) {
            self.init(name, where: { $0.plays.contains(play) && applies($0) }, body)
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let bench: ProviderWorkbench

    /// Creates the contract of one provider.
    ///
    /// - Parameters:
    ///   - stage: The simulated service and the provider under test.
    ///   - clock: The clock by which `timeout` is measured. Default: the continuous clock.
    ///   - timeout: The maximum time for which a rule waits for an expected event. Default: a minute, because the
    ///     machine may be slow.
    ///   - log: The recorder that receives the provider's log messages, such as ``LogRecorder/process``. Default: none.
    ///     In this case only the engine's log messages are checked.
    public init(
        _ stage: any ProviderStage, clock: any Clock<Duration> = ContinuousClock(), timeout: Duration = .seconds(60),
        log: LogRecorder? = nil
    ) {
        bench = ProviderWorkbench(stage: stage, clock: clock, timeout: timeout, log: log)
    }

    /// All rules.
    public static let rules: [Rule] = answers + failures + cuts + cancellation + time + secrecy + identity

    /// Returns the rules that apply to a stage. Rules about features that the service or the provider does not have,
    /// such as limits, keys or pieces, are omitted.
    public static func rules(for stage: any ProviderStage) -> [Rule] { rules.filter { $0.applies(stage) } }

    /// Checks the provider against a rule.
    ///
    /// - Throws: ``ContractViolation``, or an error of the stage.
    public func check(_ rule: Rule) async throws { try await rule.body(bench) }

    /// Returns the result of an operation of the engine that uses the provider. If the engine refuses the provider's
    /// answer, throws a violation.
    static func taken<Value>(
        _ what: String, file: String = #fileID, line: Int = #line, _ operation: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await operation()
        } catch let error as AIServiceError {
            throw ContractViolation(message: "\(what): \(error)", location: "\(file):\(line)")
        }
    }

    // MARK: Prompts

    private static let mark = "number-"
    private static let digits = 5

    /// Returns the prompt that contains a number between 0 and 99,999. All prompts have the same length.
    public static func prompt(_ number: Int) -> String {
        "Tell the \(rareWord) of Ávila about \(mark)\(text(of: number)), please."
    }

    /// Returns the number that a prompt contains. The text may be a whole call that contains the prompt. Returns `nil`
    /// if the text contains no number.
    public static func number(in text: some StringProtocol) -> Int? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return Int(text[range.upperBound...].prefix(digits))
    }

    /// Returns a number in the form in which prompts contain it. This form always has five digits, so that all answers
    /// can have the same size.
    public static func text(of number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// A word that occurs in every prompt and nowhere else.
    static let rareWord = "quokka"
}
