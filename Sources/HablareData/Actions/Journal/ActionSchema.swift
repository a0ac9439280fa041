import GRDB

/// The tables of action queues.
enum ActionSchema {
    /// Creates the tables.
    ///
    /// - `hablare_action_queues`: one row for each queue. The row's token identifies the current owner.
    /// - `hablare_actions`: one row for each action. The key is the action's number in the queue, so that new rows are
    ///   always added at the end.
    /// - `hablare_action_ids`: one row for each recent action whose id the app chose. The row stays after the action
    ///   has ended. `digest` is the SHA-256 of the action's JSON.
    static func create(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE hablare_action_queues (
                    queue TEXT NOT NULL PRIMARY KEY,
                    token INTEGER NOT NULL
                ) WITHOUT ROWID;
                CREATE TABLE hablare_actions (
                    queue TEXT NOT NULL,
                    number INTEGER NOT NULL,
                    id BLOB NOT NULL,
                    action BLOB NOT NULL,
                    appended_at INTEGER NOT NULL,
                    wanted INTEGER NOT NULL,
                    standing INTEGER NOT NULL,
                    turn INTEGER NOT NULL,
                    attempt INTEGER NOT NULL,
                    position INTEGER NOT NULL,
                    remembered INTEGER NOT NULL,
                    given_up INTEGER NOT NULL,
                    failure TEXT,
                    PRIMARY KEY (queue, number)
                ) WITHOUT ROWID;
                CREATE TABLE hablare_action_ids (
                    queue TEXT NOT NULL,
                    number INTEGER NOT NULL,
                    id BLOB NOT NULL,
                    digest BLOB NOT NULL,
                    PRIMARY KEY (queue, number)
                ) WITHOUT ROWID;
                """)
    }
}
