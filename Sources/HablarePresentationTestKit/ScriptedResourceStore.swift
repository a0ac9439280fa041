public import Foundation
import Hablare
public import HablarePresentation
import HablareSupport

/// A store of one text. It records the calls that it receives. A test can make its calls fail.
public final class ScriptedResourceStore: ResourceStore {
    /// A call that the store received.
    public enum Command: Sendable, Hashable {
        /// A call of `retrieve()`.
        case retrieve
        /// A call of `replace(with:)`, with the text.
        case replace(String)
        /// A call of `delete(where:)`. The value says whether the call deleted the text.
        case delete(Bool)
    }

    private struct State: Sendable {
        var kept: CachedResource<String>?
        var commands: [Command] = []
        var failure: (any Error)?
    }

    private let state: Locked<State>
    /// The scheduler of the store's calls.
    public let scheduler: any StoreScheduler

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - kept: The kept text. Default: none.
    ///   - scheduler: The scheduler of the store's calls. Default: inline.
    public init(_ kept: CachedResource<String>? = nil, scheduler: any StoreScheduler = InlineStoreScheduler()) {
        state = Locked(State(kept: kept))
        self.scheduler = scheduler
    }

    /// The kept text. Reading this property does not record a call.
    public var kept: CachedResource<String>? { state.withLock { $0.kept } }
    /// All calls in order, including those that failed.
    public var commands: [Command] { state.withLock { $0.commands } }

    /// Replaces the kept text, without recording a call.
    package func keep(_ resource: String, savedAt date: Date) {
        state.withLock { $0.kept = CachedResource(resource, savedAt: date) }
    }

    /// Makes every call fail with an error from now on. With `nil`, calls succeed again.
    public func fail(with error: (any Error)?) {
        state.withLock { $0.failure = error }
    }

    /// Returns the kept text.
    ///
    /// - Throws: The error that was set with ``fail(with:)``.
    public func retrieve() throws -> CachedResource<String>? {
        try state.withLock { state in
            state.commands.append(.retrieve)
            if let failure = state.failure { throw failure }
            return state.kept
        }
    }

    /// Replaces the kept text.
    ///
    /// - Throws: The error that was set with ``fail(with:)``.
    public func replace(with resource: CachedResource<String>) throws {
        try state.withLock { state in
            state.commands.append(.replace(resource.resource))
            if let failure = state.failure { throw failure }
            state.kept = resource
        }
    }

    /// Deletes the kept text if `isExpired` returns `true` for its save date.
    ///
    /// - Throws: The error that was set with ``fail(with:)``, or the error that `isExpired` throws.
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
