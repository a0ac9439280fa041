import Hablare

/// The rules that every provider must keep. Each rule runs against a service that simulates a behaviour. Any test
/// framework can run the rules.
///
/// ```swift
/// @Test(arguments: ProviderContract.rules(for: MyStage())) func keeps(_ rule: ProviderContract.Rule) async throws {
///     try await ProviderContract(MyStage()).check(rule)
/// }
/// ```
///
/// If a provider breaks a rule, ``check(_:)`` throws a ``ContractViolation`` that names the rule and the problem. In
/// every rule, an error that contains the prompt or a key is also a violation, and metadata that contains a key is also
/// a violation.
public struct ProviderContract: Sendable {
    /// One rule.
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

        /// Creates a rule for providers whose service can simulate a behaviour.
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
    ///   - stage: The stage of the provider.
    ///   - clock: The clock that measures `timeout`. Default: the continuous clock.
    ///   - timeout: The maximum time of each wait for an expected event. Default: a minute, because the machine may be
    ///     busy.
    ///   - log: The recorder of the provider's log, such as ``LogRecorder/process``. Default: none, so that only the
    ///     engine's log is checked.
    public init(
        _ stage: any ProviderStage, clock: any Clock<Duration> = ContinuousClock(), timeout: Duration = .seconds(60),
        log: LogRecorder? = nil
    ) {
        bench = ProviderWorkbench(stage: stage, clock: clock, timeout: timeout, log: log)
    }

    /// All rules.
    public static let rules: [Rule] = answers + failures + cuts + cancellation + time + secrecy + identity

    /// Returns the rules that a stage can run. Omits rules about features that the stage's service or provider does not
    /// have, such as limits, keys or pieces.
    public static func rules(for stage: any ProviderStage) -> [Rule] { rules.filter { $0.applies(stage) } }

    /// Checks the provider against a rule.
    ///
    /// - Throws: ``ContractViolation``, or an error of the stage.
    public func check(_ rule: Rule) async throws { try await rule.body(bench) }

    /// Returns the result of an engine's operation with a provider. If the engine refuses the provider's answer, throws
    /// a violation.
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

    /// Returns the prompt for a number between 0 and 99,999. All prompts have the same length.
    public static func prompt(_ number: Int) -> String {
        "Tell the \(rareWord) of Ávila about \(mark)\(text(of: number)), please."
    }

    /// Returns the number in a prompt, or in a call that contains a prompt. Returns `nil` if there is no number.
    public static func number(in text: some StringProtocol) -> Int? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return Int(text[range.upperBound...].prefix(digits))
    }

    /// Returns a number as it appears in a prompt. It has five digits, so that all answers can have the same size.
    public static func text(of number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// A word in every prompt that occurs nowhere else.
    static let rareWord = "quokka"
}
