/// Which answers of the cache are meant.
public enum CacheSelection: Sendable, Hashable {
    /// All of them.
    case everything
    /// Those to requests that were submitted to a provider, and those that it gave in another's place.
    case provider(ProviderID)
    /// The same of one model; `nil` for requests that named none.
    case model(String?, of: ProviderID)
    /// Those made for requests with a tag.
    case tag(String)
    /// The answer to this work.
    case fingerprint(Fingerprint)
    /// The answer of one flight, if it is there.
    case answer(FlightID)
}
