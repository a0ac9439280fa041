import Dispatch
public import GRDB

extension AppDatabase {
    /// Returns an async sequence of the results of a read. It has an element now, and after each change of the data
    /// that the read uses. The change may come from any process.
    ///
    /// ```swift
    /// for try await titles in database.values({ db in try String.fetchAll(db, sql: "SELECT title FROM note") }) {
    ///     self.titles = titles
    /// }
    /// ```
    ///
    /// The read runs off the caller's actor. The loop receives the values on its own actor. So a loop on the main actor
    /// can set properties of views, and the main actor never waits for the disk. If consecutive values are equal, only
    /// the first value arrives. If changes are faster than the loop, the loop gets only the newest value.
    ///
    /// SQLite does not report changes of [tables WITHOUT ROWID](https://sqlite.org/c3ref/update_hook.html), so a change
    /// of such a table gives no element. Create the tables that you observe with row ids.
    ///
    /// - Parameter fetch: The read. The data that it reads is observed.
    /// - Returns: The values. Cancelling the task ends the loop. If the read throws an error, the loop throws it.
    public func values<Value: Sendable & Equatable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> DatabaseValues<Value> {
        values(of: ValueObservation.tracking(fetch).removeDuplicates())
    }

    /// Returns an async sequence of the results of a read whose type is not `Equatable`. It has an element now, and
    /// after each change of the data, even if the element equals the previous element.
    ///
    /// - Parameter fetch: The read. The data that it reads is observed.
    /// - Returns: The values. Cancelling the task ends the loop. If the read throws an error, the loop throws it.
    public func values<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> DatabaseValues<Value> {
        values(of: ValueObservation.tracking(fetch))
    }

    /// Returns the values of a GRDB observation. The observation itself defines which data it tracks.
    ///
    /// - Parameter observation: The observation.
    /// - Returns: The values. Cancelling the task ends the loop. If the read throws an error, the loop throws it.
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
