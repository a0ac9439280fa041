/// Whether a resource is being loaded.
public struct ResourceLoadingViewModel: Sendable, Hashable, Codable {
    /// Whether it is.
    public let isLoading: Bool

    /// Creates a view model.
    public init(isLoading: Bool) {
        self.isLoading = isLoading
    }
}
