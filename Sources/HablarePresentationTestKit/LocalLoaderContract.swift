public import Foundation
import Hablare
import HablarePresentation
import HablareSupport
import HablareTestKit

/// The rules for every loader that keeps a resource for seven days. You can check the rules with any test framework.
///
/// ```swift
/// @Test(arguments: LocalLoaderContract.rules) func keeps(_ rule: LocalLoaderContract.Rule) async throws {
///     try await LocalLoaderContract { store, calendar, date in MyLoader(store, calendar, date) }.check(rule)
/// }
/// ```
///
/// If a rule is broken, ``check(_:)`` throws a `ContractViolation` that names the rule and the problem.
public struct LocalLoaderContract: Sendable {
    /// A closure that creates a loader from a store, a calendar and a closure that returns the current date.
    public typealias MakeLoader =
        @Sendable (ScriptedResourceStore, Calendar, @escaping @Sendable () -> Date) -> any LocalLoads

    /// A rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @Sendable (MakeLoader) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (MakeLoader) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let makeLoader: MakeLoader

    /// Creates the contract for a loader.
    ///
    /// - Parameter makeLoader: A closure that creates the loader under test. It is called at least once for each rule.
    public init(makeLoader: @escaping MakeLoader) {
        self.makeLoader = makeLoader
    }

    /// Checks a loader against a rule.
    ///
    /// - Throws: `ContractViolation` if the rule is broken, or the loader's error.
    public func check(_ rule: Rule) async throws { try await rule.body(makeLoader) }

    /// All rules.
    public static let rules: [Rule] = expiry + keeping

    static let expiry: [Rule] = [
        Rule("A moment before seven days are over, what was saved is found") { make in
            let store = ScriptedResourceStore(CachedResource("one", savedAt: saved))
            let found = try await make(store, utc, at(saved + 7 * day - 0.001)).load()
            try require("what is found", found, is: .found(CachedResource("one", savedAt: saved)))
        },
        Rule("When exactly seven days are over, what was saved is expired") { make in
            let store = ScriptedResourceStore(CachedResource("one", savedAt: saved))
            for late in [0, 0.001, 30 * day] {
                let found = try await make(store, utc, at(saved + 7 * day + late)).load()
                try require("what is found \(late) s later", found, is: .expired(savedAt: saved))
            }
        },
        Rule("The present is that of each call, as long as the loader lives") { make in
            let store = ScriptedResourceStore(CachedResource("one", savedAt: saved))
            let now = Locked(saved)
            let loader = make(store, utc) { now.withLock { $0 } }
            try require("what is found at first", try await loader.load().resource, is: "one")
            now.withLock { $0 = saved + 7 * day }
            try require("what is found later", try await loader.load(), is: .expired(savedAt: saved))
            try await loader.save("two")
            try require("what is kept", store.kept, is: CachedResource("two", savedAt: saved + 7 * day))
            now.withLock { $0 = saved + 14 * day }
            try require("whether it is said to be deleted later", try await loader.validate(), is: true)
        },
        Rule("Seven days are days of the calendar") { make in
            // In the night to the 29th of March 2026 the clocks in Madrid go forward, so the week is an hour shorter.
            var madrid = Calendar(identifier: .gregorian)
            madrid.timeZone = try require("the time zone of Madrid", TimeZone(identifier: "Europe/Madrid"))
            let noon = try require(
                "a date", madrid.date(from: DateComponents(year: 2026, month: 3, day: 25, hour: 12)))
            let store = ScriptedResourceStore(CachedResource("one", savedAt: noon))
            let end = noon + 7 * day - 3_600
            let before = try await make(store, madrid, at(end - 0.001)).load()
            try require("what is found a moment before", before.resource, is: "one")
            let then = try await make(store, madrid, at(end)).load()
            try require("what is found at noon", then, is: .expired(savedAt: noon))
        },
    ]

    static let keeping: [Rule] = [
        Rule("To load deletes nothing, whatever is found") { make in
            for kept in [nil, CachedResource("old", savedAt: saved - 60 * day), CachedResource("new", savedAt: saved)] {
                let store = ScriptedResourceStore(kept)
                _ = try await make(store, utc, at(saved)).load()
                try require("what is kept", store.kept, is: kept)
                try require("what the store was asked", store.commands, is: [.retrieve])
            }
        },
        Rule("An empty store is told apart from one that cannot be read") { make in
            let store = ScriptedResourceStore()
            let loader = make(store, utc, at(saved))
            try require("what is found", try await loader.load(), is: .empty)
            store.fail(with: failure)
            try await requireFailure("loading") { _ = try await loader.load() }
        },
        Rule("To validate deletes what is expired, and nothing else") { make in
            let store = ScriptedResourceStore(CachedResource("one", savedAt: saved))
            let early = try await make(store, utc, at(saved + 7 * day - 0.001)).validate()
            try require("whether it is said to be deleted", early, is: false)
            try require("what is kept", store.kept?.resource, is: "one")
            let late = try await make(store, utc, at(saved + 7 * day)).validate()
            try require("whether it is said to be deleted", late, is: true)
            try require("what is kept is expired", store.kept == nil)
            try require(
                "whether something is said to be deleted", try await make(store, utc, at(saved)).validate(), is: false)
        },
        Rule("Where the store fails, validating deletes nothing and says so") { make in
            let store = ScriptedResourceStore(CachedResource("one", savedAt: saved - 60 * day))
            store.fail(with: failure)
            let loader = make(store, utc, at(saved))
            try await requireFailure("validating") { try await loader.validate() }
            try require("what is kept", store.kept?.resource, is: "one")
        },
        Rule("To save puts a resource in the place of what was saved, in one transaction, under the present date") {
            make in
            let store = ScriptedResourceStore(CachedResource("one", savedAt: saved))
            try await make(store, utc, at(saved + 3)).save("two")
            try require("what is kept", store.kept, is: CachedResource("two", savedAt: saved + 3))
            try require("what the store was asked", store.commands, is: [.replace("two")])
        },
        Rule("A save that fails says so, and leaves what was saved") { make in
            let store = ScriptedResourceStore(CachedResource("one", savedAt: saved))
            store.fail(with: failure)
            let loader = make(store, utc, at(saved))
            try await requireFailure("saving") { try await loader.save("two") }
            try require("what is kept", store.kept?.resource, is: "one")
        },
    ]

    private static let day: TimeInterval = 86_400
    /// The first of February 2026. No clock change occurs in the weeks around this date.
    private static let saved = Date(timeIntervalSince1970: 1_769_904_000)
    private static let failure = AIServiceError(.storageFailed, "The disk is gone.")

    private static var utc: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    private static func at(_ date: Date) -> @Sendable () -> Date { { date } }

    private static func requireFailure(_ what: String, _ operation: () async throws -> Void) async throws {
        do {
            try await operation()
        } catch let error as AIServiceError {
            return try require("the error of \(what)", error, is: failure)
        }
        throw ContractViolation(message: "\(what) hides that the store failed", location: #fileID)
    }
}
