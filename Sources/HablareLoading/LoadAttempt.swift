/// One call of a load's source.
///
/// Each load has a number that is never reused. It distinguishes the current load of a key from an earlier load that
/// has not ended.
struct LoadAttempt: Sendable, Hashable {
    /// The load's number.
    let load: Int
    /// The number of the attempt within the load, from 1.
    let number: Int
}
