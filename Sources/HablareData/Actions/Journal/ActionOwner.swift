/// An owner of a queue, as the journal knows it. Each one that opens the queue gets a greater token, and the journal
/// takes nothing from an owner with a smaller one.
struct ActionOwner: Sendable, Hashable {
    let queue: String
    let token: Int64
}
