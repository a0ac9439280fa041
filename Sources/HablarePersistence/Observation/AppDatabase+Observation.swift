import Dispatch
public import GRDB

extension AppDatabase {
    /// What a read gives, now and after each change of what it reads, by whatever process that is made.
    ///
    /// ```swift
    /// for try await titles in database.values({ db in try String.fetchAll(db, sql: "SELECT title FROM note") }) {
    ///     self.titles = titles
    /// }
    /// ```
    ///
    /// The read runs away from the caller's actor, which gets each value on itself: a loop on the main actor is
    /// delivered there, and the main actor never waits for the disk. Equal values that follow each other come once. Where
    /// changes are faster than the loop, it gets the newest value, and not each.
    ///
    /// - Parameter fetch: The read. What it reads is what is observed.
    /// - Returns: The values. A cancelled task ends the loop; an error of the read is thrown by it.
    public func values<Value: Sendable & Equatable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> DatabaseValues<Value> {
        values(of: ValueObservation.tracking(fetch).removeDuplicates())
    }

    /// The same for values that cannot be compared: one comes after each change of what is read, though it may be the same.
    ///
    /// - Parameter fetch: The read. What it reads is what is observed.
    /// - Returns: The values. A cancelled task ends the loop; an error of the read is thrown by it.
    public func values<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> DatabaseValues<Value> {
        values(of: ValueObservation.tracking(fetch))
    }

    /// The values of one of GRDB's observations, for those that say themselves what they track.
    ///
    /// - Parameter observation: The observation.
    /// - Returns: The values. A cancelled task ends the loop; an error of the read is thrown by it.
    public func values<Reducer: ValueReducer>(
        of observation: ValueObservation<Reducer>
    ) -> DatabaseValues<Reducer.Value> where Reducer.Value: Sendable {
        DatabaseValues(of: self) { writer, onError, onChange in
            // A queue of its own gives the values in their order, and takes no step on the main actor to do so.
            observation.start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "app.values")), onError: onError,
                onChange: onChange)
        }
    }
}
