/// One call of a load's source.
///
/// Each load has a number that is never reused. It tells the leftovers of an earlier load of a key from the current
/// one.
struct LoadAttempt: Sendable, Hashable {
    /// The load's number.
    let load: Int
    /// The number of the attempt within the load, from 1.
    let number: Int
}
