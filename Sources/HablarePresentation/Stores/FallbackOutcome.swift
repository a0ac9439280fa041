public import Foundation

/// The outcome of a ``FallbackLoader``.
public enum FallbackOutcome<Resource: Sendable>: Sendable {
    /// The resource from the remote side.
    case remote(Resource)
    /// The saved resource, with the remote side's error.
    case local(CachedResource<Resource>, remoteError: any Error)
    /// The remote side failed, and the saved resource is too old.
    case expired(savedAt: Date, remoteError: any Error)
    /// The remote side failed, and nothing was saved.
    case empty(remoteError: any Error)

    /// The remote or saved resource; `nil` if there is none.
    public var resource: Resource? {
        switch self {
        case .remote(let resource): resource
        case .local(let cached, _): cached.resource
        case .expired, .empty: nil
        }
    }

    /// The remote side's error; `nil` if it succeeded.
    public var remoteError: (any Error)? {
        switch self {
        case .remote: nil
        case .local(_, let error), .expired(_, let error), .empty(let error): error
        }
    }

    /// Returns the remote or saved resource. For callers that do not distinguish the two, such as a presenter.
    ///
    /// - Throws: The remote side's error if there is no resource.
    public func get() throws -> Resource {
        switch self {
        case .remote(let resource): return resource
        case .local(let cached, _): return cached.resource
        case .expired(_, let error), .empty(let error): throw error
        }
    }
}
