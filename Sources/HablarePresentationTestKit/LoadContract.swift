import Hablare
public import HablarePresentation
import HablareTestKit

/// What everything must do that loads a resource and tells a view of it, as rules that any test framework can run.
///
/// ```swift
/// @MainActor @Test(arguments: LoadContract.rules) func keeps(_ rule: LoadContract.Rule) async throws {
///     try await LoadContract { view, policy, load in MyLoader(WeakProxy(view), policy, load) }.check(rule)
/// }
/// ```
///
/// What breaks a rule makes ``check(_:)`` throw a `ContractViolation` that says which and how.
@MainActor
public struct LoadContract {
    /// Makes what loads for a view, which it may not keep alive, under a policy.
    ///
    /// What it is given to load with is `nonisolated(nonsending)`: it runs where it is called, which may not be the main
    /// actor. A loader whose own function type is `@concurrent`, as that of every `async` function is in a module without
    /// `NonisolatedNonsendingByDefault`, may call it from anywhere.
    public typealias MakeDriver =
        @MainActor (ViewRecorder, LoadPolicy, @escaping @Sendable () async throws -> String) -> any LoadDriver

    /// One rule.
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

    /// Creates the contract of one kind of loading.
    ///
    /// - Parameters:
    ///   - patience: How long anything may take that has to come soon, before it counts as never. Default: a minute, because a
    ///     test's machine may be busy.
    ///   - makeDriver: Makes what loads. Called once or more for each rule.
    public init(patience: Duration = .seconds(60), makeDriver: @escaping MakeDriver) {
        bench = LoadWorkbench(make: makeDriver, patience: patience)
    }

    /// Holds what loads to a rule.
    ///
    /// - Throws: `ContractViolation`; `CancellationError`.
    public func check(_ rule: Rule) async throws { try await rule.body(bench) }

    /// All rules.
    public nonisolated static let rules: [Rule] = endings + policies + cancellation + lives
}
