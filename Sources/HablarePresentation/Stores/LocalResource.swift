public import Foundation

/// What was found in a store. That the store could not be read is none of these: it is an error.
public enum LocalResource<Resource: Sendable>: Sendable {
    /// A fresh resource.
    case found(CachedResource<Resource>)
    /// A resource that is too old to be used; it is still there.
    case expired(savedAt: Date)
    /// Nothing was ever saved, or it was deleted.
    case empty

    /// The resource, where it is fresh.
    public var resource: Resource? {
        if case .found(let cached) = self { cached.resource } else { nil }
    }
}

extension LocalResource: Equatable where Resource: Equatable {}
