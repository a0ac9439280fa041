public import Foundation

/// A resource as it was saved, and when.
public struct CachedResource<Resource: Sendable>: Sendable {
    /// The resource.
    public let resource: Resource
    /// When it was saved.
    public let savedAt: Date

    /// Creates a resource that was saved at a date.
    public init(_ resource: Resource, savedAt: Date) {
        self.resource = resource
        self.savedAt = savedAt
    }
}

extension CachedResource: Equatable where Resource: Equatable {}
extension CachedResource: Codable where Resource: Codable {}
