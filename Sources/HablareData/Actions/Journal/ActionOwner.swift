/// The owner of a queue, as recorded in the journal. The owner is the object that opened the queue last.
///
/// Each opening of the queue creates a new random token. The journal refuses writes from an owner with a different
/// token.
///
/// The token is random, not a counter. If the database were erased, a counter would start again, and an earlier owner
/// could then have the same token as the current owner.
struct ActionOwner: Sendable, Hashable {
    let queue: String
    let token: Int64
}
