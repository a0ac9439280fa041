import Foundation
import Hablare

/// The requests that this process completed, to tell them from those that others did.
final class Completions: Sendable {
    private let ids = Guarded<Set<UUID>>([])

    /// An answer is about to be recorded. Noted before, because whoever waits for it may read it as soon as it is.
    func willWrite(_ writes: [StoreWrite]) {
        for case .settle(let end) in writes where end.isAnswer { _ = ids.withLock { $0.insert(end.request) } }
    }

    /// It was, or was refused.
    func wrote(_ writes: [StoreWrite], _ receipts: [WriteReceipt]) {
        for case (.settle(let end), let receipt) in zip(writes, receipts) where end.isAnswer {
            switch receipt {
            case .done: continue
            case .ended(let finished, _): ids.withLock { $0.formUnion(finished) }
            default: _ = ids.withLock { $0.remove(end.request) }
            }
        }
    }

    /// Nothing was: the store failed.
    func didNotWrite(_ writes: [StoreWrite]) {
        for case .settle(let end) in writes where end.isAnswer { _ = ids.withLock { $0.remove(end.request) } }
    }

    /// Whether this process completed a request; it is forgotten.
    func take(_ id: UUID) -> Bool { ids.withLock { $0.remove(id) != nil } }

    /// Forgets what nobody waited for.
    func forget() { ids.withLock { $0 = [] } }
}

extension AttemptEnd {
    fileprivate var isAnswer: Bool {
        if case .completed = outcome { true } else { false }
    }
}
