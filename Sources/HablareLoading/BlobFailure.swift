/// The reason why a blob could not be used or stored.
enum BlobFailure: Error {
    /// The cache reported an error.
    case cache(any Error)
    /// The bytes could not be decoded, or the value could not be encoded. The coding's own error may contain the value,
    /// so it is not reported.
    case coding
}
