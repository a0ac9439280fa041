import Hablare

/// Loads from a remote side and saves what it brings; where the remote side fails, answers with what was saved.
///
/// That it was saved is not a condition for being delivered. A cancellation is no failure: it is passed on, and the store is not
/// asked.
///
/// `FallbackLoaderContract` in `HablareTestKit` has these as rules.
public struct FallbackLoader<Store: ResourceStore>: Sendable {
    private let local: LocalResourceLoader<Store>
    private let remote: @Sendable @concurrent () async throws -> Store.Resource
    private let observe: @Sendable (FallbackIncident) -> Void

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - local: Loads and saves what is kept.
    ///   - observe: Hears what went wrong on the way, where it does not become an error: for a log.
    ///   - remote: Loads the resource anew, off the main actor.
    public init(
        local: LocalResourceLoader<Store>, observe: @escaping @Sendable (FallbackIncident) -> Void,
        remote: @escaping @Sendable @concurrent () async throws -> Store.Resource
    ) {
        self.local = local
        self.observe = observe
        self.remote = remote
    }

    /// Loads the resource: new if that is possible, else as it was saved.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, or the remote side was; an ``/Hablare/AIServiceError`` of code `cancelled`
    ///   as the remote side threw it; ``FallbackError`` where the store cannot be read either.
    @concurrent public func load() async throws -> FallbackOutcome<Store.Resource> {
        let resource: Store.Resource
        do {
            resource = try await remote()
            try Task.checkCancellation()
        } catch {
            try Task.checkCancellation()
            guard !Self.isCancellation(error) else { throw error }
            observe(.remoteFailed(error))
            return try await saved(inPlaceOf: error)
        }
        do {
            try await local.save(resource)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            observe(.saveFailed(error))
        }
        return .remote(resource)
    }

    private func saved(inPlaceOf remoteError: any Error) async throws -> FallbackOutcome<Store.Resource> {
        do {
            switch try await local.load() {
            case .found(let cached): return .local(cached, remoteError: remoteError)
            case .expired(let date): return .expired(savedAt: date, remoteError: remoteError)
            case .empty: return .empty(remoteError: remoteError)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            observe(.localFailed(error))
            throw FallbackError(remote: remoteError, local: error)
        }
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? AIServiceError)?.code == .cancelled
    }
}
