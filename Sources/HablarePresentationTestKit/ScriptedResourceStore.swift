public import Foundation
import Hablare
public import HablarePresentation

/// A store of one text that remembers what was asked of it, and fails when it is told to.
public final class ScriptedResourceStore: ResourceStore {
    /// What was asked of the store.
    public enum Command: Sendable, Hashable {
        /// To say what is kept.
        case retrieve
        /// To keep a text.
        case replace(String)
        /// To delete what is kept, if its date is such; and whether it did.
        case delete(Bool)
    }

    private struct State: Sendable {
        var kept: CachedResource<String>?
        var commands: [Command] = []
        var failure: (any Error)?
    }

    private let state: Guarded<State>
    /// Where the store's calls run.
    public let scheduler: any StoreScheduler

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - kept: What it keeps. Default: nothing.
    ///   - scheduler: Where its calls run. Default: inline.
    public init(_ kept: CachedResource<String>? = nil, scheduler: any StoreScheduler = InlineStoreScheduler()) {
        state = Guarded(State(kept: kept))
        self.scheduler = scheduler
    }

    /// What is kept, without asking the store.
    public var kept: CachedResource<String>? { state.withLock { $0.kept } }
    /// Everything that was asked of it, in order, also where it failed.
    public var commands: [Command] { state.withLock { $0.commands } }

    /// Keeps a text, without asking the store.
    package func keep(_ resource: String, savedAt date: Date) {
        state.withLock { $0.kept = CachedResource(resource, savedAt: date) }
    }

    /// Lets everything fail from now on with an error; or nothing, with `nil`.
    public func fail(with error: (any Error)?) {
        state.withLock { $0.failure = error }
    }

    /// What is kept.
    ///
    /// - Throws: What it was told to fail with.
    public func retrieve() throws -> CachedResource<String>? {
        try state.withLock { state in
            state.commands.append(.retrieve)
            if let failure = state.failure { throw failure }
            return state.kept
        }
    }

    /// Keeps a text in place of what was kept.
    ///
    /// - Throws: What it was told to fail with.
    public func replace(with resource: CachedResource<String>) throws {
        try state.withLock { state in
            state.commands.append(.replace(resource.resource))
            if let failure = state.failure { throw failure }
            state.kept = resource
        }
    }

    /// Deletes what is kept, if its date is such.
    ///
    /// - Throws: What it was told to fail with, or what `isExpired` throws.
    @discardableResult
    public func delete(where isExpired: (Date) throws -> Bool) throws -> Bool {
        try state.withLock { state in
            if let failure = state.failure {
                state.commands.append(.delete(false))
                throw failure
            }
            let deletes = try state.kept.map { try isExpired($0.savedAt) } ?? false
            state.commands.append(.delete(deletes))
            if deletes { state.kept = nil }
            return deletes
        }
    }
}
