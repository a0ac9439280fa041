/// A queue's owner, as the journal records it.
///
/// Each open of the queue draws a new random token. The journal refuses writes from an owner with any other token.
///
/// The token is random instead of a counter, because erasing the database would restart a counter. Then an earlier
/// owner could have the same token as the current one.
struct ActionOwner: Sendable, Hashable {
    let queue: String
    let token: Int64
}
