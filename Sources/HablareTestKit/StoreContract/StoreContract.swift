public import Hablare

/// A list of rules that every store must follow. Each rule is checked with a new store. You can run the rules with any
/// test framework: run each rule as one case of a parameterized test.
///
/// ```swift
/// @Test(arguments: StoreContract.rules) func keeps(_ rule: StoreContract.Rule) throws {
///     try StoreContract { MyStore() }.check(rule)
/// }
/// ```
///
/// If the store violates a rule, ``check(_:)`` throws a ``ContractViolation`` that names the rule and the problem.
public struct StoreContract: Sendable {
    /// One rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @Sendable (StoreWorkbench) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (StoreWorkbench) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let makeStore: @Sendable () throws -> any RequestStore

    /// Creates the contract of one kind of store.
    ///
    /// - Parameter makeStore: A closure that creates an empty store. It is called once for each rule.
    public init(makeStore: @escaping @Sendable () throws -> any RequestStore) {
        self.makeStore = makeStore
    }

    /// All rules.
    public static let rules: [Rule] =
        submitting + claiming + attempts + lateOutcomes + endings + owners + reading + content + keptAnswers
        + backoff
        + backoffEndings + holding
        + tries + deadlines + permits + accounts + streams + ledger + budgets + fallback + joining + leaving
        + rejoining + retention + caching + tracing + remembering + resuming + changes + changedRequests

    /// Checks a rule with a new store.
    ///
    /// - Throws: ``ContractViolation``, or an error of the store.
    public func check(_ rule: Rule) throws {
        try rule.body(StoreWorkbench(store: try makeStore()))
    }
}

/// The error that a store or a provider violates a rule of its contract.
public struct ContractViolation: Error, CustomStringConvertible {
    /// A text that contains the expected and the actual result.
    public let message: String
    /// The place in the source code at which the rule failed.
    public let location: String

    /// The message and the location.
    public var description: String { "\(message) (\(location))" }

    package init(message: String, location: String) {
        self.message = message
        self.location = location
    }
}

/// Throws a violation if two values are not equal.
package func require<Value: Equatable>(
    _ what: String, _ actual: Value, is expected: Value, file: String = #fileID, line: Int = #line
) throws {
    guard actual != expected else { return }
    throw ContractViolation(
        message: "\(what): expected \(expected), found \(actual)", location: "\(file):\(line)")
}

/// Throws a violation if a condition is false.
package func require(_ what: String, _ condition: Bool, file: String = #fileID, line: Int = #line) throws {
    guard !condition else { return }
    throw ContractViolation(message: what, location: "\(file):\(line)")
}

/// Returns a value, or throws a violation if the value is `nil`.
package func require<Value>(
    _ what: String, _ value: Value?, file: String = #fileID, line: Int = #line
) throws -> Value {
    guard let value else { throw ContractViolation(message: "\(what): nothing found", location: "\(file):\(line)") }
    return value
}
