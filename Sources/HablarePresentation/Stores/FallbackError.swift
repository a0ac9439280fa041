/// An error for a load that failed both remotely and in the store.
public struct FallbackError: Error {
    /// The remote side's error.
    public let remote: any Error
    /// The store's error.
    public let local: any Error

    /// Creates an error.
    public init(remote: any Error, local: any Error) {
        self.remote = remote
        self.local = local
    }
}
