import Dispatch
public import GRDB

extension AppDatabase {
    /// Returns the results of a read, now and after each change of the data that it reads, by any process.
    ///
    /// ```swift
    /// for try await titles in database.values({ db in try String.fetchAll(db, sql: "SELECT title FROM note") }) {
    ///     self.titles = titles
    /// }
    /// ```
    ///
    /// The read runs away from the caller's actor, which receives each value. A loop on the main actor receives the
    /// values there, and the main actor never waits for the disk. Equal values in a row arrive once. If changes are
    /// faster than the loop, it gets only the newest value.
    ///
    /// - Parameter fetch: The read. The data that it reads is observed.
    /// - Returns: The values. Cancelling the task ends the loop. An error of the read is thrown by the loop.
    public func values<Value: Sendable & Equatable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> DatabaseValues<Value> {
        values(of: ValueObservation.tracking(fetch).removeDuplicates())
    }

    /// Returns the results of a read whose type is not `Equatable`. A result arrives after each change of the data,
    /// even if it is the same as before.
    ///
    /// - Parameter fetch: The read. The data that it reads is observed.
    /// - Returns: The values. Cancelling the task ends the loop. An error of the read is thrown by the loop.
    public func values<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> DatabaseValues<Value> {
        values(of: ValueObservation.tracking(fetch))
    }

    /// Returns the values of a GRDB observation, which defines itself what it tracks.
    ///
    /// - Parameter observation: The observation.
    /// - Returns: The values. Cancelling the task ends the loop. An error of the read is thrown by the loop.
    public func values<Reducer: ValueReducer>(
        of observation: ValueObservation<Reducer>
    ) -> DatabaseValues<Reducer.Value> where Reducer.Value: Sendable {
        DatabaseValues(of: self) { writer, onError, onChange in
            // A queue of its own delivers the values in their order, and does not use the main actor.
            observation.start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "app.values")), onError: onError,
                onChange: onChange)
        }
    }
}
