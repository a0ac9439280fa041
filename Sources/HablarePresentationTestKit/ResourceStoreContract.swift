import Foundation
public import HablarePresentation
import HablareTestKit

/// The rules for every store of a resource. Each rule is checked with a new store. You can check the rules with any
/// test framework.
///
/// ```swift
/// @Test(arguments: ResourceStoreContract.rules) func keeps(_ rule: ResourceStoreContract.Rule) async throws {
///     try await ResourceStoreContract { try MyStore() }.check(rule)
/// }
/// ```
///
/// If a rule is broken, ``check(_:)`` throws a `ContractViolation` that names the rule and the problem.
public struct ResourceStoreContract: Sendable {
    /// A rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @Sendable (any ResourceStore<String>) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any ResourceStore<String>) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let makeStore: @Sendable () throws -> any ResourceStore<String>

    /// Creates the contract for a store.
    ///
    /// - Parameter makeStore: A closure that creates an empty store. It is called once for each rule.
    public init(makeStore: @escaping @Sendable () throws -> any ResourceStore<String>) {
        self.makeStore = makeStore
    }

    /// Checks a new store against a rule, on the store's own scheduler.
    ///
    /// - Throws: `ContractViolation` if the rule is broken, or the store's error.
    public func check(_ rule: Rule) async throws {
        let store = try makeStore()
        try await store.scheduler.run { try rule.body(store) }
    }

    /// All rules.
    public static let rules: [Rule] = [
        Rule("A new store is empty") { store in
            try require("something is kept", try store.retrieve() == nil)
        },
        Rule("What was kept is found, with its date, again and again") { store in
            try store.replace(with: CachedResource("one", savedAt: date(0.25)))
            for _ in 0..<2 {
                let kept = try require("what is kept", try store.retrieve())
                try require("the text", kept.resource, is: "one")
                try require("the date", abs(kept.savedAt.timeIntervalSince(date(0.25))) < 0.001)
            }
        },
        Rule("What is kept takes the place of what was kept, also where it is older") { store in
            try store.replace(with: CachedResource("one", savedAt: date(10)))
            try store.replace(with: CachedResource("two", savedAt: date(0)))
            try require("the text", try store.retrieve()?.resource, is: "two")
            _ = try store.delete { _ in true }
            try require("something is kept behind it", try store.retrieve() == nil)
        },
        Rule("What is kept is deleted where its date is such, and said to be") { store in
            try store.replace(with: CachedResource("one", savedAt: date(0)))
            let isDeleted = try store.delete { abs($0.timeIntervalSince(date(0))) < 0.001 }
            try require("whether it is said to be deleted", isDeleted, is: true)
            try require("something is kept", try store.retrieve() == nil)
        },
        Rule("What is kept stays where its date is not such") { store in
            try store.replace(with: CachedResource("one", savedAt: date(0)))
            try require("whether it is said to be deleted", try store.delete { _ in false }, is: false)
            try require("the text", try store.retrieve()?.resource, is: "one")
        },
        Rule("Of an empty store nothing is deleted") { store in
            try require("whether something is said to be deleted", try store.delete { _ in true }, is: false)
        },
        Rule("A deletion that throws deletes nothing") { store in
            try store.replace(with: CachedResource("one", savedAt: date(0)))
            do {
                try store.delete { _ in throw InternalError() }
                throw ContractViolation(message: "the error is lost", location: #fileID)
            } catch is InternalError {
                try require("the text", try store.retrieve()?.resource, is: "one")
            }
        },
    ]

    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + seconds) }
}
