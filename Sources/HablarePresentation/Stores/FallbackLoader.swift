import Hablare

/// A loader that loads a resource from a remote side and saves it. If the remote side fails, the loader returns the
/// saved resource.
///
/// A resource is returned even if it could not be saved. A cancellation does not count as a failure: the loader passes
/// it on and does not read the store.
///
/// `FallbackLoaderContract` in `HablarePresentationTestKit` checks these rules.
public struct FallbackLoader<Store: ResourceStore>: Sendable {
    private let local: LocalResourceLoader<Store>
    private let remote: @Sendable @concurrent () async throws -> Store.Resource
    private let observe: @Sendable (FallbackIncident) -> Void

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - local: The loader of the saved resource.
    ///   - observe: A closure that receives the failures that the loader handles instead of throwing them. For a log.
    ///   - remote: A function that loads the resource from the remote side, off the main actor.
    public init(
        local: LocalResourceLoader<Store>, observe: @escaping @Sendable (FallbackIncident) -> Void,
        remote: @escaping @Sendable @concurrent () async throws -> Store.Resource
    ) {
        self.local = local
        self.observe = observe
        self.remote = remote
    }

    /// Loads the resource from the remote side. If the remote side fails, returns the saved resource.
    ///
    /// - Throws: `CancellationError` if the task or the remote side was cancelled. The ``/Hablare/AIServiceError`` with
    ///   code `cancelled` that the remote side threw. ``FallbackError`` if the store cannot be read either.
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
