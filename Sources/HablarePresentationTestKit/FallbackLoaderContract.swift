public import Foundation
import Hablare
public import HablarePresentation
import HablareTestKit

/// The rules for every loader that reads from a remote source and returns a saved resource if the remote source fails.
/// You can check the rules with any test framework.
///
/// ```swift
/// @Test(arguments: FallbackLoaderContract.rules) func keeps(_ rule: FallbackLoaderContract.Rule) async throws {
///     try await FallbackLoaderContract { MyLoader($0.store, $0.date, $0.observe, $0.remote) }.check(rule)
/// }
/// ```
///
/// If a rule is broken, ``check(_:)`` throws a `ContractViolation` that names the rule and the problem.
public struct FallbackLoaderContract: Sendable {
    /// The store, the clock and the closures from which the test creates the loader under test.
    public struct Parts: Sendable {
        /// The store of the loaded resource.
        public let store: ScriptedResourceStore
        /// A closure that returns the current date. A saved resource is fresh for seven days.
        public let date: @Sendable () -> Date
        /// A closure that receives the failures that the loader handles instead of throwing them.
        public let observe: @Sendable (FallbackIncident) -> Void
        /// The closure that loads the text from the remote source.
        public let remote: @Sendable @concurrent () async throws -> String
    }

    /// A rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @Sendable (FallbackWorkbench) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (FallbackWorkbench) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let makeLoader: @Sendable (Parts) -> any FallbackLoads

    /// Creates the contract for a loader.
    ///
    /// - Parameter makeLoader: A closure that creates the loader under test. It is called once for each rule.
    public init(makeLoader: @escaping @Sendable (Parts) -> any FallbackLoads) {
        self.makeLoader = makeLoader
    }

    /// Checks a loader against a rule.
    ///
    /// - Throws: `ContractViolation` if the rule is broken, or the loader's error.
    public func check(_ rule: Rule) async throws { try await rule.body(FallbackWorkbench(make: makeLoader)) }

    /// All rules.
    public static let rules: [Rule] = remote + local + cancellation

    static let remote: [Rule] = [
        Rule("What the remote side brings is saved under the present date, and delivered") { bench in
            bench.store.keep("old", savedAt: bench.now)
            let outcome = try await bench.load()
            try require("what is delivered", outcome, is: "remote: new")
            try require("what is kept", bench.store.kept, is: CachedResource("new", savedAt: bench.now))
            try require("what the store was asked", bench.store.commands, is: [.replace("new")])
            try require("what is said to have gone wrong", bench.incidents, is: [])
        },
        Rule("What cannot be saved is delivered all the same, and somebody hears of it") { bench in
            bench.store.fail(with: FallbackWorkbench.full)
            let outcome = try await bench.load()
            try require("what is delivered", outcome, is: "remote: new")
            try require("what is said to have gone wrong", bench.incidents, is: ["save: Make room."])
        },
        Rule("The remote side is asked by each load") { bench in
            _ = try await bench.load()
            bench.answer(.success("newer"))
            let outcome = try await bench.load()
            try require("what is delivered", outcome, is: "remote: newer")
        },
    ]

    static let local: [Rule] = [
        Rule("Where the remote side fails, what was saved is delivered, and why") { bench in
            bench.store.keep("saved", savedAt: bench.now - 60)
            bench.answer(.failure(FallbackWorkbench.offline))
            let outcome = try await bench.load()
            try require("what is delivered", outcome, is: "local: saved, because: No network.")
            try require("what the store was asked", bench.store.commands, is: [.retrieve])
            try require("what is said to have gone wrong", bench.incidents, is: ["remote: No network."])
        },
        Rule("What was saved and is expired is told apart, and stays") { bench in
            let old = bench.now - 7 * 86_400
            bench.store.keep("old", savedAt: old)
            bench.answer(.failure(FallbackWorkbench.offline))
            let outcome = try await bench.load()
            try require("what is delivered", outcome, is: "expired since \(old), because: No network.")
            try require("what is kept", bench.store.kept?.resource, is: "old")
        },
        Rule("That nothing was saved is told apart") { bench in
            bench.answer(.failure(FallbackWorkbench.offline))
            let outcome = try await bench.load()
            try require("what is delivered", outcome, is: "empty, because: No network.")
        },
        Rule("Where the store fails, too, both errors are told") { bench in
            bench.store.fail(with: FallbackWorkbench.full)
            bench.answer(.failure(FallbackWorkbench.offline))
            do {
                let outcome = try await bench.load()
                throw ContractViolation(message: "what nobody has is delivered: \(outcome)", location: #fileID)
            } catch let error as FallbackError {
                try require("the remote side's error", error.remote as? AIServiceError, is: FallbackWorkbench.offline)
                try require("the store's error", error.local as? AIServiceError, is: FallbackWorkbench.full)
            }
            try require(
                "what is said to have gone wrong", bench.incidents, is: ["remote: No network.", "local: Make room."])
        },
    ]

    static let cancellation: [Rule] = [
        Rule("A remote side that was cancelled is passed on, and not replaced by what was saved") { bench in
            bench.store.keep("saved", savedAt: bench.now)
            bench.answer(.failure(CancellationError()))
            try await requireCancellation { try await bench.load() }
            try require("what the store was asked", bench.store.commands, is: [])
            try require("what is said to have gone wrong", bench.incidents, is: [])
        },
        Rule("A task that is cancelled gets neither, whatever the remote side makes of it") { bench in
            bench.store.keep("saved", savedAt: bench.now)
            for late in [Result<String, any Error>.success("late"), .failure(FallbackWorkbench.offline)] {
                bench.answer(late)
                try await requireCancellation { try await bench.loadInCancelledTask() }
                try require("what the store was asked", bench.store.commands, is: [])
            }
        },
    ]

    private static func requireCancellation(_ load: () async throws -> String) async throws {
        do {
            let outcome = try await load()
            throw ContractViolation(message: "what was cancelled is delivered: \(outcome)", location: #fileID)
        } catch is CancellationError {}
    }
}
