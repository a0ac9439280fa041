/// A service's key as it may be spoken of.
struct ServiceKey: Sendable, Hashable {
    /// As it may be shown: `sk-…c1f2`.
    let shown: String
    /// Where it is from, such as `OPENAI_API_KEY` or a file.
    let origin: String
}

/// Looks up the key of a service; `nil` where it has none.
///
/// Throws any error for a key that is there and cannot be used: one that has expired, a file that others can read.
typealias ServiceKeyLookup = @Sendable (_ service: String) throws -> ServiceKey?
