public import Foundation

/// A saved resource with the date at which it was saved.
public struct CachedResource<Resource: Sendable>: Sendable {
    /// The resource.
    public let resource: Resource
    /// The date at which the resource was saved.
    public let savedAt: Date

    /// Creates a saved resource.
    public init(_ resource: Resource, savedAt: Date) {
        self.resource = resource
        self.savedAt = savedAt
    }
}

extension CachedResource: Equatable where Resource: Equatable {}
extension CachedResource: Codable where Resource: Codable {}
