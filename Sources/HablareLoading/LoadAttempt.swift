/// One call of a load's source.
///
/// Each load has a number that is never used again. The number distinguishes the current load of a key from an earlier
/// load that is still running.
struct LoadAttempt: Sendable, Hashable {
    /// The load's number.
    let load: Int
    /// The number of the attempt within the load, from 1.
    let number: Int
}
