public import Foundation

/// The outcome of a ``FallbackLoader``.
public enum FallbackOutcome<Resource: Sendable>: Sendable {
    /// The resource from the remote source.
    case remote(Resource)
    /// The saved resource, with the remote source's error.
    case local(CachedResource<Resource>, remoteError: any Error)
    /// The remote source failed, and the saved resource is too old.
    case expired(savedAt: Date, remoteError: any Error)
    /// The remote source failed, and nothing was saved.
    case empty(remoteError: any Error)

    /// The remote or saved resource; `nil` if there is none.
    public var resource: Resource? {
        switch self {
        case .remote(let resource): resource
        case .local(let cached, _): cached.resource
        case .expired, .empty: nil
        }
    }

    /// The remote source's error; `nil` if it succeeded.
    public var remoteError: (any Error)? {
        switch self {
        case .remote: nil
        case .local(_, let error), .expired(_, let error), .empty(let error): error
        }
    }

    /// Returns the remote or saved resource. Use it if your code treats both in the same way, as a presenter does.
    ///
    /// - Throws: The remote source's error if there is no resource.
    public func get() throws -> Resource {
        switch self {
        case .remote(let resource): return resource
        case .local(let cached, _): return cached.resource
        case .expired(_, let error), .empty(let error): throw error
        }
    }
}
