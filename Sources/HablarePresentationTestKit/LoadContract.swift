import Hablare
public import HablarePresentation
import HablareTestKit

/// The rules for every type that loads a resource and reports to a view. You can check the rules with any test
/// framework.
///
/// ```swift
/// @MainActor @Test(arguments: LoadContract.rules) func keeps(_ rule: LoadContract.Rule) async throws {
///     try await LoadContract { view, policy, load in MyLoader(WeakProxy(view), policy, load) }.check(rule)
/// }
/// ```
///
/// If a rule is broken, ``check(_:)`` throws a `ContractViolation` that names the rule and the problem.
@MainActor
public struct LoadContract {
    /// A closure that creates the loader under test (a ``LoadDriver``) from a view, a policy and a load function. The
    /// loader must not keep the view alive.
    ///
    /// The load function is `nonisolated(nonsending)`: it runs in the context of its caller, which may be outside the
    /// main actor. If the loader stores functions of a `@concurrent` type, it may call the load function from anywhere.
    /// In a module without `NonisolatedNonsendingByDefault`, the type of every `async` function is `@concurrent`.
    public typealias MakeDriver =
        @MainActor (ViewRecorder, LoadPolicy, @escaping @Sendable () async throws -> String) -> any LoadDriver

    /// A rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @MainActor @Sendable (LoadWorkbench) async throws -> Void

        init(_ name: String, _ body: @escaping @MainActor @Sendable (LoadWorkbench) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let bench: LoadWorkbench

    /// Creates the contract for a loader.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for each expected event. Default: a minute, because a test machine may be busy.
    ///   - makeDriver: A closure that creates the loader under test. It is called at least once for each rule.
    public init(timeout: Duration = .seconds(60), makeDriver: @escaping MakeDriver) {
        bench = LoadWorkbench(make: makeDriver, timeout: timeout)
    }

    /// Checks the loader against a rule.
    ///
    /// - Throws: `ContractViolation` if the rule is broken. `CancellationError` if the task is cancelled.
    public func check(_ rule: Rule) async throws { try await rule.body(bench) }

    /// All rules.
    public nonisolated static let rules: [Rule] = endings + policies + cancellation + lives
}
