public import Foundation

/// A saved resource with the date of its save.
public struct CachedResource<Resource: Sendable>: Sendable {
    /// The resource.
    public let resource: Resource
    /// The date of the save.
    public let savedAt: Date

    /// Creates a resource with the date of its save.
    public init(_ resource: Resource, savedAt: Date) {
        self.resource = resource
        self.savedAt = savedAt
    }
}

extension CachedResource: Equatable where Resource: Equatable {}
extension CachedResource: Codable where Resource: Codable {}
