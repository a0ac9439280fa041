/// An owner of a queue, as the journal knows it. Each one that opens the queue draws a token, and the journal takes nothing
/// from an owner with another one.
///
/// Drawn and not counted: whoever erases the database would have it counted from the start again, and then an owner from
/// before could not be told from the new one.
struct ActionOwner: Sendable, Hashable {
    let queue: String
    let token: Int64
}
