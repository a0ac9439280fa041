/// One call of a load's source.
///
/// Loads are numbered, and a number is never used twice: so what an earlier load of a key leaves behind is told from the
/// present one.
struct LoadAttempt: Sendable, Hashable {
    /// The load.
    let load: Int
    /// Which attempt of the load, from 1.
    let number: Int
}
