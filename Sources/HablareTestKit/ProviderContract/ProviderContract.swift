import Hablare

/// What every provider must do, as rules that any test framework can run, each on a service that plays it.
///
/// ```swift
/// @Test(arguments: ProviderContract.rules(for: MyStage())) func keeps(_ rule: ProviderContract.Rule) async throws {
///     try await ProviderContract(MyStage()).check(rule)
/// }
/// ```
///
/// A provider that breaks a rule makes ``check(_:)`` throw a ``ContractViolation`` that says which and how. In every rule,
/// an error that has the prompt or a key in it is a violation, too, and so is metadata with a key.
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

        /// A rule for providers whose service can do something.
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
    ///   - stage: Where it is tried.
    ///   - clock: Measures the patience. Default: the continuous clock.
    ///   - patience: How long anything may take that has to come soon, before it counts as never. Default: a minute,
    ///     because a test's machine may be busy.
    ///   - log: What the provider logs: ``LogRecorder/process``. Default: what the provider logs is not looked at, only what
    ///     the engine does.
    public init(
        _ stage: any ProviderStage, clock: any Clock<Duration> = ContinuousClock(), patience: Duration = .seconds(60),
        log: LogRecorder? = nil
    ) {
        bench = ProviderWorkbench(stage: stage, clock: clock, patience: patience, log: log)
    }

    /// All rules.
    public static let rules: [Rule] = answers + failures + cuts + cancellation + time + secrecy + identity

    /// The rules that can be played on a stage: all, except those about what its service cannot do, or its provider has
    /// not (limits, keys, pieces).
    public static func rules(for stage: any ProviderStage) -> [Rule] { rules.filter { $0.applies(stage) } }

    /// Holds the provider to a rule.
    ///
    /// - Throws: ``ContractViolation``, or what the stage throws.
    public func check(_ rule: Rule) async throws { try await rule.body(bench) }

    /// What an engine makes of a provider. Where it refuses it, that breaks the rule.
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

    /// The prompt of a number between 0 and 99,999. All prompts are of the same length.
    public static func prompt(_ number: Int) -> String {
        "Tell the \(rareWord) of Ávila about \(mark)\(text(of: number)), please."
    }

    /// The number in a prompt, or in a call that has a prompt in it; `nil` where there is none.
    public static func number(in text: some StringProtocol) -> Int? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return Int(text[range.upperBound...].prefix(digits))
    }

    /// A number as it stands in a prompt, with five digits: good for answers of the same size.
    public static func text(of number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// A word of every prompt that nothing else says.
    static let rareWord = "quokka"
}
