/// Why a blob could not be used or stored.
enum BlobFailure: Error {
    /// The cache says so.
    case cache(any Error)
    /// The bytes are no value, or the value has no bytes. What a coding says of that may show the value, and is not told.
    case coding
}
