/// Neither the remote side nor the store could be asked.
public struct FallbackError: Error {
    /// Why the remote side could not.
    public let remote: any Error
    /// Why the store could not be read.
    public let local: any Error

    /// Creates an error.
    public init(remote: any Error, local: any Error) {
        self.remote = remote
        self.local = local
    }
}
