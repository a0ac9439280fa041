import Hablare

/// A loader that loads a resource from a remote source, such as a server, and saves it in a store. If the remote source
/// fails, the loader returns the saved resource.
///
/// If a loaded resource cannot be saved, it is still returned. A cancellation is not a failure: the loader throws it
/// and does not read the store.
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
    ///   - observe: A closure that receives the failures that the loader handles instead of throwing them. Use it for a
    ///     log.
    ///   - remote: A function that loads the resource from the remote source, off the main actor.
    public init(
        local: LocalResourceLoader<Store>, observe: @escaping @Sendable (FallbackIncident) -> Void,
        remote: @escaping @Sendable @concurrent () async throws -> Store.Resource
    ) {
        self.local = local
        self.observe = observe
        self.remote = remote
    }

    /// Loads the resource from the remote source. If the remote source fails, returns the saved resource.
    ///
    /// - Throws: `CancellationError` if the task was cancelled or the remote source threw it. The
    ///   ``/Hablare/AIServiceError`` with code `cancelled` that the remote source threw. ``FallbackError`` if the store
    ///   cannot be read either.
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
