import GRDB

/// The schema, as numbered migrations. A released migration never changes: the next one alters what it made.
enum Schema {
    /// The number that marks a database file as ours: "Habl" in ASCII.
    static let applicationID: Int32 = 0x4861_626C

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-store") { db in
            for tables in [work, flights, requests, output, responses, accounts, ledger, log] {
                try db.execute(sql: tables)
            }
        }
        return migrator
    }

    // Times are microseconds since 1970. In rows that may be large, the most used columns come first and the large ones
    // last, because SQLite reads a row from its start.

    /// Names that rows refer to by number, and processes.
    ///
    /// - `providers.account`: the account that the provider's last submission named; NULL before the first one.
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
    /// - `owner`: the holder; 0 for a flight that waits, -1 for one that backs off, -2 for one that is held, NULL for
    ///   one that is settled. So one partial index finds both the flights that wait and those that a dead process held.
    ///   The indices of live flights contain no settled ones.
    /// - `uncounted`: the attempts that do not count as tries. `losses`: the losses in a row.
    /// - `member`: the request that leads, a live one while there is one. `shared`: 1 once another request joined.
    /// - `findable`: 1 while the flight is live or its answer is in the cache, else NULL. It is a column of its own, so
    ///   that a transition of the flight does not touch `flights_by_work`. Fingerprints come in no order, so each
    ///   change there writes another page.
    /// - `used_at`: the date of the last use of the answer, at first that of its arrival; NULL if it is not in the
    ///   cache. `answer_size`: its bytes.
    /// - `streaming`: see `StreamingPolicy.code`; NULL if the request does not stream.
    /// - `chain`: a JSON list of the providers and models to ask one after another, the submission's first; NULL if
    ///   there is no other. `provider` and `model` are those being asked.
    /// - `handle`: the resume handle, by which the next attempt continues the work of an earlier one; at most
    ///   `ProviderCall.maximumHandle` bytes, NULL if there is none.
    /// - `joined_jobs`: the jobs of members, other than `flights.job`, that may claim the flight.
    /// - `flight_tags`: the tags of all requests that were ever members. They outlive the requests, whose own tags are
    ///   in `requests.tags`, so that sums over the past do not change.
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

    /// Requests: see `RequestRow`. Their keys are time-ordered (UUID version 7), so their tree grows at its end.
    ///
    /// - `follows`: 1 for requests that joined a flight, and for a former leader. With the leader, they are the
    ///   flight's members. `priority`: a member's own priority; NULL if it has that of the flight.
    /// - `evicted`: the response was evicted for this request; other members of the flight may keep it.
    /// - `merge`: NULL if no merge was asked for, 0 while one is awaited, 1 afterwards.
    /// - `caching`: see `CachePolicy.code`. `cache_age`: the age of the answer that the request found in the cache, in
    ///   microseconds; NULL if it found none.
    /// - `trace`: the fields of the trace that it was submitted in, a JSON object of at most
    ///   `TraceContext.maximumByteCount`; NULL if there was none.
    /// - `requests_due` includes the flight, so that requests with the same deadline are in order of arrival.
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

    /// Output that streams to its readers. A row is a group of chunks that were journalled together. It has the number
    /// of the first chunk, the number of chunks, the start of their bytes in the whole output, and the size of each
    /// chunk (`PackedSizes`). `bytes` is NULL once the flight is completed, because the response has them then.
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
    /// - `spare`: the bytes that evicting the response frees; NULL if it was evicted or a request protects it
    ///   (`Protection`). The statement that writes or erases the content writes it, and so does every change of a
    ///   protection. So there is no running total that could drift; the doctor checks it.
    /// - `cache_use`: see `ResponseLabels`.
    /// - `responses_spare` has all columns of a prune plan, in the plan's order, and no row's content.
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
    /// - `attempts.provider`, `attempts.model`: those of the attempt, even if its flight moves on to another provider;
    ///   NULL only if its flight is missing.
    /// - `attempts.cached_tokens`, `attempts.cache_write_tokens`: the input tokens that the provider read from its
    ///   cache, and those that it wrote there.
    /// - `budgets.spent`: the sum of `reservations.amount`. `budgets.unknown`: the number of reservations that are
    ///   `unknown`. `period`: its start. A reservation stays, because a later record of its attempt may change it.
    ///   `bound`: NULL if the greatest cost of the attempt is unknown.
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

    /// The log of commits, and the mark of erasures.
    ///
    /// - `commits`: the log from which processes learn which rows others changed, see `CommitLog`. `seq` is one more
    ///   than that of the commit before. The newest row is never deleted, so that no number is used twice. `writer` is
    ///   the random number of an open store. `changes`: see `ChangeRecord.encoded`.
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
