import GRDB

/// The schema of the database, as numbered migrations. A migration that was released is never changed. To change its
/// tables, a new migration is added.
enum Schema {
    /// The number that identifies a database file of this library: "Habl" in ASCII.
    static let applicationID: Int32 = 0x4861_626C

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-store") { db in
            for tables in [work, flights, requests, output, responses, accounts, ledger, log] {
                try db.execute(sql: tables)
            }
        }
        migrator.registerMigration("002-token-kinds") { try $0.execute(sql: tokenKinds) }
        return migrator
    }

    // Times are microseconds since 1970. In rows that may be large, the most used columns come first and the large ones
    // last, because SQLite reads a row from its start.

    /// Tables of names to which rows refer by number, and the table of processes.
    ///
    /// - `providers.account`: the account of the provider's last submission. NULL before the first submission.
    private static let work = """
        CREATE TABLE providers (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            account TEXT
        );
        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE
        );
        CREATE TABLE owners (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            host TEXT NOT NULL,
            pid INTEGER NOT NULL,
            lock_name TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        );
        """

    /// Flights: see `FlightRow`.
    ///
    /// - `state`: see `FlightLifecycle.stateCode`.
    /// - `owner`: the holder. 0 for a waiting flight, -1 for a flight that backs off, -2 for a held flight, NULL for a
    ///   settled flight. With these values, one partial index finds the waiting flights and the flights that a dead
    ///   process held. The indices of live flights contain no flights that have ended.
    /// - `uncounted`: the number of attempts that do not count towards the maximum number of attempts.
    /// - `losses`: the number of consecutive attempts that brought no result and may have been billed.
    /// - `member`: the first live request of the flight, the leader. If no request is live, the last leader. `shared`:
    ///   1 if another request has ever joined the flight.
    /// - `findable`: 1 while the flight is live or its answer is in the cache, otherwise NULL. The value has its own
    ///   column, so that a change of the flight's state does not change the index `flights_by_work`. Fingerprints are
    ///   random, so each change of this index writes a different page.
    /// - `used_at`: the date of the last use of the answer. At first this is the date of its arrival. NULL if the
    ///   answer is not in the cache. `answer_size`: the answer's size in bytes.
    /// - `streaming`: see `StreamingPolicy.code`. NULL if the request does not stream.
    /// - `chain`: a JSON list of the providers and models in the order in which they are called. It begins with the
    ///   provider of the submission. NULL if there is no fallback provider. `provider` and `model` are the current
    ///   provider and model.
    /// - `handle`: the resume handle. With it, the next attempt continues the work of an earlier attempt. At most
    ///   `ProviderCall.maximumHandle` bytes. NULL if there is none.
    /// - `joined_jobs`: the jobs, except `flights.job`, whose processes may claim the flight. They are the jobs of the
    ///   flight's members.
    /// - `flight_tags`: the tags of all requests that have ever been members. They stay when the requests are deleted,
    ///   so that sums of past costs do not change. The tags of a single request are in `requests.tags`.
    private static let flights = """
        CREATE TABLE flights (
            id INTEGER PRIMARY KEY,
            state INTEGER NOT NULL,
            owner INTEGER,
            token INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            uncounted INTEGER NOT NULL DEFAULT 0,
            losses INTEGER NOT NULL DEFAULT 0,
            not_before INTEGER,
            started_at INTEGER,
            tried_since INTEGER,
            provider INTEGER NOT NULL,
            job INTEGER,
            priority INTEGER NOT NULL,
            member BLOB NOT NULL,
            shared INTEGER NOT NULL DEFAULT 0,
            findable INTEGER,
            used_at INTEGER,
            answer_size INTEGER,
            fingerprint BLOB NOT NULL,
            model TEXT,
            tenant TEXT,
            sample INTEGER NOT NULL,
            timeout INTEGER,
            max_attempts INTEGER,
            on_unknown INTEGER NOT NULL DEFAULT 0,
            streaming INTEGER,
            chain BLOB,
            handle BLOB,
            prompt_kind INTEGER NOT NULL,
            prompt_digest BLOB,
            prompt_size INTEGER,
            parameters BLOB,
            prompt BLOB
        );
        CREATE INDEX flights_live ON flights (owner, provider, priority, id) WHERE owner IS NOT NULL;
        CREATE INDEX flights_live_of_job ON flights (owner, job, provider, priority, id)
            WHERE owner IS NOT NULL AND job IS NOT NULL;
        CREATE INDEX flights_due ON flights (provider, not_before) WHERE owner = -1;
        CREATE INDEX flights_by_work ON flights (substr(fingerprint, 1, 8)) WHERE findable IS NOT NULL;
        CREATE INDEX flights_answered ON flights (used_at, id, answer_size) WHERE used_at IS NOT NULL;
        CREATE INDEX flights_content ON flights (prompt_digest) WHERE prompt_digest IS NOT NULL;
        CREATE TABLE joined_jobs (
            job INTEGER NOT NULL,
            flight INTEGER NOT NULL,
            PRIMARY KEY (job, flight)
        ) WITHOUT ROWID;
        CREATE INDEX joined_jobs_of_flight ON joined_jobs (flight);
        CREATE TABLE flight_tags (
            flight INTEGER NOT NULL,
            tag TEXT NOT NULL,
            PRIMARY KEY (flight, tag)
        ) WITHOUT ROWID;
        """

    /// Requests: see `RequestRow`. The keys are time-ordered (UUID version 7), so new rows are added at the end of the
    /// tree.
    ///
    /// - `follows`: 1 for a request that joined a flight, and for a former leader. These requests and the leader are
    ///   the members of the flight. `priority`: the priority of a member. NULL if it equals the priority of the flight.
    /// - `evicted`: 1 if the response was evicted for this request. Other members of the flight may still keep the
    ///   response.
    /// - `merge`: NULL if the response need not be merged into the app's data, 0 while the request waits for the merge,
    ///   and 1 after the merge.
    /// - `caching`: see `CachePolicy.code`. `cache_age`: the age of the cached answer that the request received, in
    ///   microseconds. NULL if the request was not answered from the cache.
    /// - `trace`: the context of the submission's trace, as a JSON object of at most `TraceContext.maximumByteCount`
    ///   bytes. NULL if there was no trace.
    /// - `requests_due` includes the flight, so that requests with the same deadline are in the order of arrival.
    private static let requests = """
        CREATE TABLE requests (
            id BLOB NOT NULL PRIMARY KEY,
            flight INTEGER NOT NULL,
            state INTEGER NOT NULL,
            job INTEGER,
            position INTEGER,
            follows INTEGER NOT NULL DEFAULT 0,
            priority INTEGER,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            deadline INTEGER,
            evicted INTEGER NOT NULL DEFAULT 0,
            pinned INTEGER NOT NULL DEFAULT 0,
            merge INTEGER,
            caching INTEGER,
            cache_age INTEGER,
            supersedes BLOB,
            tags BLOB,
            metadata BLOB,
            error BLOB,
            trace BLOB
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX requests_of_job ON requests (job, position) WHERE job IS NOT NULL;
        CREATE INDEX requests_due ON requests (deadline, flight) WHERE deadline IS NOT NULL AND state = 0;
        CREATE INDEX requests_failed ON requests (id) WHERE state = 2;
        CREATE INDEX requests_aboard ON requests (flight, state, priority, id) WHERE follows = 1;
        """

    /// Output that streams to its readers. A row is a group of chunks that were written together. It contains the
    /// number of the first chunk, the number of chunks, the position of their bytes in the whole output, and the size
    /// of each chunk (`PackedSizes`). When the flight is completed, `bytes` is NULL, because the response contains the
    /// bytes.
    private static let output = """
        CREATE TABLE chunks (
            id INTEGER PRIMARY KEY,
            flight INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            first INTEGER NOT NULL,
            count INTEGER NOT NULL,
            start INTEGER NOT NULL,
            size INTEGER NOT NULL,
            sizes BLOB NOT NULL,
            bytes BLOB
        );
        CREATE UNIQUE INDEX chunks_of_flight ON chunks (flight, generation, first);
        """

    /// Responses.
    ///
    /// - `spare`: the number of bytes that become free if the response is evicted. NULL if the response was evicted or
    ///   a request protects it (`Protection`). `spare` is written by the statement that writes or erases the content,
    ///   and by every statement that changes the protection. No running total exists that could become wrong.
    ///   `hablare doctor` checks this column.
    /// - `cache_use`: see `ResponseLabels`.
    /// - `responses_spare` contains all columns that a prune plan needs, in the order of the plan. No other column of a
    ///   row must be read.
    private static let responses = """
        CREATE TABLE responses (
            flight INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            format TEXT,
            digest BLOB,
            size INTEGER,
            spare INTEGER,
            cache_use INTEGER,
            received_at INTEGER NOT NULL,
            metadata BLOB,
            body BLOB
        );
        CREATE INDEX responses_content ON responses (digest) WHERE digest IS NOT NULL;
        CREATE INDEX responses_spare ON responses (received_at, flight, spare) WHERE spare IS NOT NULL;
        """

    /// The limits of accounts: see `AccountBudget`.
    private static let accounts = """
        CREATE TABLE accounts (
            name TEXT NOT NULL PRIMARY KEY,
            request_level REAL,
            request_level_at INTEGER,
            unit_level REAL,
            unit_level_at INTEGER,
            reported_requests REAL,
            reported_units REAL,
            paused_until INTEGER,
            next_call INTEGER,
            failing_until INTEGER
        ) WITHOUT ROWID;
        """

    /// The ledger and the budgets.
    ///
    /// - `attempts.provider`, `attempts.model`: the provider and the model of the attempt. They stay when the flight
    ///   moves to another provider. NULL only if the flight does not exist.
    /// - `attempts.cached_tokens`, `attempts.cache_write_tokens`: the input tokens that the provider read from its
    ///   cache, and the input tokens that it wrote to its cache.
    /// - `budgets.spent`: the sum of `reservations.amount`. `budgets.unknown`: the number of reservations that are
    ///   `unknown`. `period`: the beginning of the period. A reservation is never deleted, because a later record of
    ///   its attempt may change it. `bound`: NULL if the maximum cost of the attempt is unknown.
    private static let ledger = """
        CREATE TABLE attempts (
            flight INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            token INTEGER NOT NULL,
            outcome INTEGER NOT NULL,
            billing INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER NOT NULL,
            input_tokens INTEGER NOT NULL,
            output_tokens INTEGER NOT NULL,
            cached_tokens INTEGER NOT NULL DEFAULT 0,
            cache_write_tokens INTEGER NOT NULL DEFAULT 0,
            characters INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            audio INTEGER NOT NULL DEFAULT 0,
            cost INTEGER,
            provider INTEGER,
            model TEXT,
            error BLOB,
            PRIMARY KEY (flight, attempt)
        ) WITHOUT ROWID;
        CREATE TABLE budgets (
            name TEXT NOT NULL,
            period INTEGER NOT NULL,
            spent INTEGER NOT NULL,
            unknown INTEGER NOT NULL,
            PRIMARY KEY (name, period)
        ) WITHOUT ROWID;
        CREATE TABLE reservations (
            flight INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            budget TEXT NOT NULL,
            period INTEGER NOT NULL,
            bound INTEGER,
            amount INTEGER NOT NULL,
            unknown INTEGER NOT NULL,
            PRIMARY KEY (flight, attempt, budget)
        ) WITHOUT ROWID;
        """

    /// The kinds of tokens that have prices of their own.
    ///
    /// - `attempts.image_tokens`, `attempts.audio_tokens`: the input tokens that stand for pictures and for sound.
    ///   `attempts.spoken_tokens`: the output tokens that stand for sound.
    private static let tokenKinds = """
        ALTER TABLE attempts ADD COLUMN image_tokens INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE attempts ADD COLUMN audio_tokens INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE attempts ADD COLUMN spoken_tokens INTEGER NOT NULL DEFAULT 0;
        """

    /// The log of commits, and the mark of erasures.
    ///
    /// - `commits`: the log with which processes find the rows that other processes have changed, see `CommitLog`.
    ///   `seq` is one more than in the previous row. The newest row is never deleted, so that its number is not used
    ///   again. `writer` is the random number of an open store. `changes`: see `ChangeRecord.encoded`.
    /// - `erasures`: whether deleted data may still be in the write-ahead log, see `ErasureMark`.
    private static let log = """
        CREATE TABLE commits (
            seq INTEGER PRIMARY KEY,
            writer INTEGER NOT NULL,
            changes BLOB NOT NULL
        );
        CREATE TABLE erasures (
            id INTEGER PRIMARY KEY,
            wanted INTEGER NOT NULL,
            done INTEGER NOT NULL
        );
        INSERT INTO erasures (id, wanted, done) VALUES (1, 0, 0);
        """
}
