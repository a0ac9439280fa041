/// The reason why a value could not be read from the blob cache or stored in it.
enum BlobFailure: Error {
    /// The cache reported an error.
    case cache(any Error)
    /// The bytes could not be decoded, or the value could not be encoded. The error of the coding is not kept, because
    /// it may contain the value.
    case coding
}
