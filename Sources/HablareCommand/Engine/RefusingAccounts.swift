import Hablare

/// The accounts that refuse whatever they are asked, a wrong key or an empty one, and are left alone then: what waits for
/// them would fail for good, one request after another, and waits in the store instead. Others go on.
///
/// Only what this process was refused counts: another one on the store may have the right key. A model that is not there
/// is the affair of the requests that name it.
final class RefusingAccounts: Sendable {
    private static let codes: Set<AIServiceError.Code> = [.unauthorized, .quotaExceeded]

    private let accounts: [ProviderID: AccountID]
    private let refusals = Guarded<[AccountID: AIServiceError]>([:])
    private let tell: @Sendable (AccountID, AIServiceError) -> Void

    /// - Parameters:
    ///   - providers: Who is asked.
    ///   - tell: Told of an account that is left alone from now on, and of the refusal.
    init(of providers: [any AIServiceProvider], tell: @escaping @Sendable (AccountID, AIServiceError) -> Void) {
        accounts = Dictionary(providers.map { ($0.id, $0.account) }) { first, _ in first }
        self.tell = tell
    }

    /// Something was written to the store.
    func wrote(_ writes: [StoreWrite]) {
        for write in writes {
            // One after which another provider is asked brings its answer all the same.
            guard case .settle(let end) = write, case .failed(let error) = end.outcome,
                Self.codes.contains(error.code), let account = accounts[end.provider]
            else { continue }
            let isNew = refusals.withLock { $0.updateValue($0[account] ?? error, forKey: account) == nil }
            if isNew { tell(account, error) }
        }
    }

    /// Whether a provider is left alone.
    func has(_ provider: ProviderID) -> Bool {
        guard let account = accounts[provider] else { return false }
        return refusals.withLock { $0[account] != nil }
    }

    /// The providers that are left alone.
    var providers: [ProviderID] { accounts.keys.filter(has) }
}
