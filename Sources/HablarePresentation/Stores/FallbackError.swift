/// The error of a load that failed at the remote source and also in the store.
public struct FallbackError: Error {
    /// The error of the remote source.
    public let remote: any Error
    /// The error of the store.
    public let local: any Error

    /// Creates an error.
    public init(remote: any Error, local: any Error) {
        self.remote = remote
        self.local = local
    }
}
