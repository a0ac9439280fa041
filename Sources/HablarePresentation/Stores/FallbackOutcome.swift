public import Foundation

/// What a ``FallbackLoader`` found.
public enum FallbackOutcome<Resource: Sendable>: Sendable {
    /// The resource, new.
    case remote(Resource)
    /// The resource as it was saved, because of an error of the remote side.
    case local(CachedResource<Resource>, remoteError: any Error)
    /// The remote side failed, and what was saved is too old.
    case expired(savedAt: Date, remoteError: any Error)
    /// The remote side failed, and nothing was saved.
    case empty(remoteError: any Error)

    /// The resource, new or saved; `nil` where there is none.
    public var resource: Resource? {
        switch self {
        case .remote(let resource): resource
        case .local(let cached, _): cached.resource
        case .expired, .empty: nil
        }
    }

    /// Why the resource is not new; `nil` where it is.
    public var remoteError: (any Error)? {
        switch self {
        case .remote: nil
        case .local(_, let error), .expired(_, let error), .empty(let error): error
        }
    }

    /// The resource, new or saved: for who does not care, as a presenter.
    ///
    /// - Throws: The remote side's error where there is none.
    public func get() throws -> Resource {
        switch self {
        case .remote(let resource): return resource
        case .local(let cached, _): return cached.resource
        case .expired(_, let error), .empty(let error): throw error
        }
    }
}
