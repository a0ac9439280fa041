import GRDB

/// The schema, as numbered migrations. A migration that was released is never changed.
enum Schema {
    /// Marks a database file as ours: "Habl" in ASCII.
    static let applicationID: Int32 = 0x4861_626C

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-requests") { db in
            try db.execute(sql: requests)
        }
        migrator.registerMigration("002-dispatch") { db in
            try db.execute(sql: dispatch)
        }
        migrator.registerMigration("003-sharing") { db in
            try db.execute(sql: sharing)
        }
        migrator.registerMigration("004-streams") { db in
            try db.execute(sql: streams)
        }
        migrator.registerMigration("005-ledger") { db in
            try db.execute(sql: ledger)
        }
        migrator.registerMigration("006-retention") { db in
            try db.execute(sql: retention)
        }
        migrator.registerMigration("007-cache") { db in
            try db.execute(sql: cache)
        }
        migrator.registerMigration("008-observation") { db in
            try db.execute(sql: observation)
        }
        migrator.registerMigration("009-shared-notes") { db in
            try db.execute(sql: sharedNotes)
        }
        migrator.registerMigration("010-failed") { db in
            try db.execute(sql: failed)
        }
        migrator.registerMigration("011-erasures") { db in
            try db.execute(sql: erasures)
        }
        migrator.registerMigration("012-handles") { db in
            try db.execute(sql: handles)
        }
        migrator.registerMigration("013-cached-tokens") { db in
            try db.execute(sql: cachedTokens)
        }
        migrator.registerMigration("014-commits") { db in
            try db.execute(sql: commits)
        }
        migrator.registerMigration("015-findable") { db in
            try db.execute(sql: findable)
        }
        return migrator
    }

    /// Times are microseconds since 1970. States are the raw values of the machines' states, see `FlightRow`.
    ///
    /// - `flights.owner`: the holder; 0 when nobody holds it and it waits; NULL when it is settled. So one partial
    ///   index serves both questions, "what waits?" and "what did the dead process hold?", and a settled flight is in
    ///   none of the indices: finished rows cost nothing.
    /// - Requests have time-ordered keys (UUID version 7), so their tree grows at its end.
    private static let requests = """
        CREATE TABLE providers (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
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
        CREATE TABLE flights (
            id INTEGER PRIMARY KEY,
            state INTEGER NOT NULL,
            owner INTEGER,
            token INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            started_at INTEGER,
            provider INTEGER NOT NULL,
            job INTEGER,
            priority INTEGER NOT NULL,
            member BLOB NOT NULL,
            fingerprint BLOB NOT NULL,
            model TEXT,
            tenant TEXT,
            sample INTEGER NOT NULL,
            timeout INTEGER,
            prompt_kind INTEGER NOT NULL,
            prompt BLOB,
            prompt_digest BLOB,
            prompt_size INTEGER,
            parameters BLOB
        );
        CREATE INDEX flights_live ON flights (owner, provider, priority, id) WHERE owner IS NOT NULL;
        CREATE INDEX flights_live_of_job ON flights (owner, job, provider, priority, id)
            WHERE owner IS NOT NULL AND job IS NOT NULL;
        CREATE INDEX flights_content ON flights (prompt_digest) WHERE prompt_digest IS NOT NULL;
        CREATE TABLE requests (
            id BLOB NOT NULL PRIMARY KEY,
            flight INTEGER NOT NULL,
            state INTEGER NOT NULL,
            job INTEGER,
            position INTEGER,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            supersedes BLOB,
            metadata BLOB,
            error BLOB
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX requests_of_job ON requests (job, position) WHERE job IS NOT NULL;
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
            characters INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            cost INTEGER,
            error BLOB,
            PRIMARY KEY (flight, attempt)
        ) WITHOUT ROWID;
        CREATE TABLE responses (
            flight INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            format TEXT,
            body BLOB,
            digest BLOB,
            size INTEGER,
            metadata BLOB,
            received_at INTEGER NOT NULL
        );
        CREATE INDEX responses_content ON responses (digest) WHERE digest IS NOT NULL;
        """

    /// Back-offs, held flights, deadlines and the accounts' limits.
    ///
    /// - `flights.owner` says two more things: -1 for a flight that backs off, -2 for one that is held. So neither is
    ///   ever found by a claim, and `flights_due` finds the back-offs that are over.
    /// - Of the attempts of a version 1 flight all count (`uncounted` 0), interrupted and lost ones too, because nobody
    ///   wrote down which were; `tried_since` is NULL, so that its time begins with the next attempt.
    /// - `providers.account` is the account that the provider's last submission named; NULL where none did yet.
    /// - `requests_due` has the flight for the order of requests with one deadline: as they came.
    private static let dispatch = """
        ALTER TABLE flights ADD COLUMN uncounted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE flights ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE flights ADD COLUMN not_before INTEGER;
        ALTER TABLE flights ADD COLUMN tried_since INTEGER;
        ALTER TABLE flights ADD COLUMN max_attempts INTEGER;
        ALTER TABLE flights ADD COLUMN on_unknown INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX flights_due ON flights (provider, not_before) WHERE owner = -1;
        ALTER TABLE requests ADD COLUMN deadline INTEGER;
        CREATE INDEX requests_due ON requests (deadline, flight) WHERE deadline IS NOT NULL AND state = 0;
        ALTER TABLE providers ADD COLUMN account TEXT;
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

    /// Flights that several requests share.
    ///
    /// - `flights.member` is the request that leads: a live one while there is one. `flights.shared` is 1 once another
    ///   one joined; until then nothing below costs anything but `flights_by_work`, in which every live flight is.
    /// - `requests.follows` is 1 for those that joined, and for a leader that was relieved: with the leader, these are
    ///   the flight's members. `requests.priority` is a member's own class, NULL where that of the flight is.
    /// - `joined_jobs`: the jobs of members, other than `flights.job`, for whose sake the flight may be claimed.
    /// - `requests.evicted`: the response was given up for this request; the others of the flight may keep it.
    private static let sharing = """
        ALTER TABLE flights ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX flights_by_work ON flights (fingerprint) WHERE owner IS NOT NULL;
        ALTER TABLE requests ADD COLUMN follows INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE requests ADD COLUMN priority INTEGER;
        ALTER TABLE requests ADD COLUMN evicted INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX requests_aboard ON requests (flight, state, priority, id) WHERE follows = 1;
        CREATE TABLE joined_jobs (
            job INTEGER NOT NULL,
            flight INTEGER NOT NULL,
            PRIMARY KEY (job, flight)
        ) WITHOUT ROWID;
        CREATE INDEX joined_jobs_of_flight ON joined_jobs (flight);
        """

    /// The ledger's sums, tags and budgets.
    ///
    /// - `attempts.provider` and `attempts.model` are those the attempt was for, though its flight may move on to another
    ///   provider; NULL only where no flight is there to say.
    /// - `flight_tags` has the tags of all requests that were ever members of a flight. They outlive the requests, whose
    ///   own are in `requests.tags`, a JSON list: sums over the past stay what they were.
    /// - `flights.chain` is a JSON list of the providers and models to ask one after another, that of the submission
    ///   first; NULL where there is only that. `flights.provider` and `flights.model` are those being asked.
    /// - `budgets.spent` is the sum of `reservations.amount`, and `budgets.unknown` the number of reservations that are
    ///   `unknown`; `period` is when the period begins. A reservation stays: a later word on its attempt may change it.
    ///   `bound` is NULL where nobody knew what the attempt can cost.
    private static let ledger = """
        ALTER TABLE attempts ADD COLUMN audio INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE attempts ADD COLUMN provider INTEGER;
        ALTER TABLE attempts ADD COLUMN model TEXT;
        UPDATE attempts SET (provider, model) = (SELECT f.provider, f.model FROM flights f WHERE f.id = attempts.flight);
        ALTER TABLE requests ADD COLUMN tags BLOB;
        ALTER TABLE flights ADD COLUMN chain BLOB;
        CREATE TABLE flight_tags (
            flight INTEGER NOT NULL,
            tag TEXT NOT NULL,
            PRIMARY KEY (flight, tag)
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

    /// What streams to its readers.
    ///
    /// - `flights.streaming`: NULL where the request does not stream, else see `StreamingPolicy.code`.
    /// - A row of `chunks` is a group of chunks that were journalled together: the number of the first, how many, where
    ///   their bytes begin in the whole output, and how many bytes each has (`PackedSizes`). `bytes` is NULL once the
    ///   flight is completed: they are the response's from then on.
    private static let streams = """
        ALTER TABLE flights ADD COLUMN streaming INTEGER;
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

    /// The traces that requests were submitted in.
    ///
    /// - `requests.trace`: the fields of the trace's context, a JSON object; NULL where nobody traced. Never more than
    ///   `TraceContext.maximumByteCount`, and never said of a request: only its attempts read it.
    private static let observation = """
        ALTER TABLE requests ADD COLUMN trace BLOB;
        """

    /// Which responses may be given up, and how large they are.
    ///
    /// - `responses.spare`: the bytes that giving up the response frees; NULL where it was given up, or where a request
    ///   protects it (`Protection`). It is written in the statement that writes or erases the content, and anew
    ///   whenever a protection comes or goes, so there is no running total that could drift; the doctor checks it.
    /// - `responses_spare` has everything that a plan needs, in the order in which it looks, and no row's content.
    /// - `requests.merge`: NULL where no merge was asked for, 0 while one is awaited, 1 afterwards.
    private static let retention = """
        ALTER TABLE requests ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE requests ADD COLUMN merge INTEGER;
        ALTER TABLE responses ADD COLUMN spare INTEGER;
        UPDATE responses SET spare = coalesce(size, length(body))
            WHERE NOT EXISTS (
                SELECT 1 FROM flights f JOIN requests r ON r.id = f.member AND r.flight = f.id
                WHERE f.id = responses.flight AND r.job IS NOT NULL
            );
        CREATE INDEX responses_spare ON responses (received_at, flight, spare) WHERE spare IS NOT NULL;
        """

    /// Answers that later requests for the same work find.
    ///
    /// - `flights.used_at`: when the answer was last used, at first when it was received; NULL where it is not in the
    ///   cache. `flights.answer_size` is its size in bytes. `flights_answered` has both, in the order in which answers
    ///   drop out.
    /// - `flights_by_work`: see `CacheColumns`, and `findable` for what it is now.
    /// - `requests.caching`: see `CachePolicy.code`. `requests.cache_age`: how old the answer was that the request found,
    ///   in microseconds; NULL where it found none.
    /// - `responses.cache_use`: see `ResponseLabels`.
    private static let cache = """
        ALTER TABLE flights ADD COLUMN used_at INTEGER;
        ALTER TABLE flights ADD COLUMN answer_size INTEGER;
        ALTER TABLE requests ADD COLUMN caching INTEGER;
        ALTER TABLE requests ADD COLUMN cache_age INTEGER;
        ALTER TABLE responses ADD COLUMN cache_use INTEGER;
        DROP INDEX flights_by_work;
        CREATE INDEX flights_by_work ON flights (substr(fingerprint, 1, 8))
            WHERE owner IS NOT NULL OR used_at IS NOT NULL;
        CREATE INDEX flights_answered ON flights (used_at, id, answer_size) WHERE used_at IS NOT NULL;
        """
    /// Notes on shared responses of which version 6 looked at the leader alone, when it took an older store over: whether
    /// the leader had given its response up, and whether another member's job protects it.
    private static let sharedNotes = """
        UPDATE responses SET spare = CASE
            WHEN NOT EXISTS (
                SELECT 1 FROM flights f JOIN requests r ON r.id = f.member AND r.flight = f.id
                WHERE f.id = responses.flight AND r.evicted = 0
                    AND (r.job IS NOT NULL OR r.pinned <> 0 OR r.merge IS 0)
                UNION ALL SELECT 1 FROM requests r INDEXED BY requests_aboard
                WHERE r.flight = responses.flight AND r.follows = 1 AND r.evicted = 0
                    AND (r.job IS NOT NULL OR r.pinned <> 0 OR r.merge IS 0)
            ) THEN coalesce(size, length(body))
        END
        WHERE flight IN (SELECT id FROM flights WHERE shared = 1);
        """

    /// An index of the requests that failed; and the end of prompts that nobody could delete any more: when the last
    /// member of a completed flight was retried, it took a copy along and the old one stayed. Content files of theirs
    /// are found as abandoned.
    private static let failed = """
        CREATE INDEX requests_failed ON requests (id) WHERE state = 2;
        CREATE TEMP TABLE left_flights AS
            SELECT f.id FROM flights f
            WHERE f.owner IS NULL AND f.fingerprint <> x''
                AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.id = f.member AND r.flight = f.id)
                AND NOT EXISTS (
                    SELECT 1 FROM requests r INDEXED BY requests_aboard WHERE r.flight = f.id AND r.follows = 1);
        DELETE FROM responses WHERE flight IN (SELECT id FROM left_flights);
        DELETE FROM joined_jobs WHERE flight IN (SELECT id FROM left_flights);
        DELETE FROM chunks WHERE flight IN (SELECT id FROM left_flights);
        UPDATE attempts SET error = CASE WHEN json_valid(CAST(error AS TEXT)) THEN
            CAST(json_remove(json_set(CAST(error AS TEXT), '$.message', ''), '$.cause') AS BLOB) END
            WHERE error IS NOT NULL AND flight IN (SELECT id FROM left_flights);
        UPDATE flights SET prompt = NULL, prompt_digest = NULL, prompt_size = NULL, parameters = NULL,
            fingerprint = x'', used_at = NULL, answer_size = NULL
            WHERE id IN (SELECT id FROM left_flights);
        DROP TABLE left_flights;
        """

    /// Whether what was deleted may still be in the write-ahead log, see `ErasureMark`. Of a store that was used nobody
    /// knows, so that it is looked after once.
    private static let erasures = """
        CREATE TABLE erasures (
            id INTEGER PRIMARY KEY,
            wanted INTEGER NOT NULL,
            done INTEGER NOT NULL
        );
        INSERT INTO erasures (id, wanted, done) VALUES (1, EXISTS (SELECT 1 FROM flights), 0);
        """

    /// By which the next attempt at a flight goes on with the work of an earlier one.
    ///
    /// - `flights.handle`: in the provider's own words, at most `ProviderCall.maximumHandle` bytes; NULL where there is
    ///   none, as in every flight that is settled.
    private static let handles = """
        ALTER TABLE flights ADD COLUMN handle BLOB;
        """

    /// Of the tokens that a model read, those that its provider had in its cache, or put there.
    private static let cachedTokens = """
        ALTER TABLE attempts ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE attempts ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
        """

    /// The log of commits, by which processes tell each other which rows changed, see `CommitLog`.
    ///
    /// - `commits.seq`: one more than that of the commit before. The newest row is never deleted, so that no number is
    ///   used twice.
    /// - `commits.writer`: the random number of an open store. `commits.changes`: see `ChangeRecord.encoded`.
    private static let commits = """
        CREATE TABLE commits (
            seq INTEGER PRIMARY KEY,
            writer INTEGER NOT NULL,
            changes BLOB NOT NULL
        );
        """

    /// By which a submission finds the flight that does, or did, the same work.
    ///
    /// - `flights.findable`: 1 while the flight is live or its answer is in the cache, else NULL. A column of its own, so
    ///   that what moves a flight leaves `flights_by_work` alone: fingerprints come in no order, so each change there is
    ///   another page to write.
    private static let findable = """
        ALTER TABLE flights ADD COLUMN findable INTEGER;
        UPDATE flights SET findable = 1 WHERE owner IS NOT NULL OR used_at IS NOT NULL;
        DROP INDEX flights_by_work;
        CREATE INDEX flights_by_work ON flights (substr(fingerprint, 1, 8)) WHERE findable IS NOT NULL;
        """
}
