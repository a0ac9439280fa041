public import Foundation

/// The result of a lookup in a store. If the store cannot be read, the lookup throws an error.
public enum LocalResource<Resource: Sendable>: Sendable {
    /// A fresh resource.
    case found(CachedResource<Resource>)
    /// A resource that still exists but is too old to be used.
    case expired(savedAt: Date)
    /// No resource was saved, or the resource was deleted.
    case empty

    /// The resource, if it is fresh.
    public var resource: Resource? {
        if case .found(let cached) = self { cached.resource } else { nil }
    }
}

extension LocalResource: Equatable where Resource: Equatable {}
