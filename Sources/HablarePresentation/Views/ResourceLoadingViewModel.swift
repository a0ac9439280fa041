/// The loading state of a resource for a view.
public struct ResourceLoadingViewModel: Sendable, Hashable, Codable {
    /// Whether the resource is loading.
    public let isLoading: Bool

    /// Creates a view model.
    public init(isLoading: Bool) {
        self.isLoading = isLoading
    }
}
