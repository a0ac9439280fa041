/// The owner of a queue, as recorded in the journal.
///
/// Each opening of the queue creates a new random token. The journal refuses writes from an owner with a different
/// token.
///
/// The token is random, not a counter. Erasing the database would restart a counter, and an earlier owner could then
/// have the same token as the current owner.
struct ActionOwner: Sendable, Hashable {
    let queue: String
    let token: Int64
}
