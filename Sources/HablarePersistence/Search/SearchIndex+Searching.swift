public import GRDB

extension SearchIndex {
    /// Finds rows. The best rows are first, unless the options name another order.
    ///
    /// - Parameters:
    ///   - terms: The terms to search for.
    ///   - type: The type of the records.
    ///   - request: The rows to search. Default: all rows of the table.
    ///   - cursor: The cursor from the previous page. Default: none, for the first page.
    ///   - options: The options of the search.
    ///   - db: The database.
    /// - Throws: ``SearchError`` for a column that the index does not have. The errors of reading and decoding.
    public func search<Record: FetchableRecord & Sendable>(
        for terms: SearchTerms, as type: Record.Type, among request: QueryInterfaceRequest<Record>? = nil,
        after cursor: SearchCursor? = nil, options: SearchOptions = SearchOptions(), in db: Database
    ) throws -> SearchPage<Record> {
        let size = min(max(1, options.size), Int(Int32.max))
        let match = try expression(terms, options)
        // The unary plus hides the rank and the row's number from FTS5. It would take a comparison with the rank for
        // the choice of a ranking, and would look up each number of a request separately.
        var condition: SQL = "\(identifier: name) MATCH \(match)"
        if let request {
            condition += " AND +rowid IN (\(request.select(Column.rowID)))"
        }
        if let cursor, options.order == .row {
            // Without the plus: FTS5 continues at this row, and does not read the rows before it.
            condition += " AND rowid > \(cursor.row)"
        } else if let cursor {
            condition += " AND (+rank > \(cursor.rank) OR (+rank = \(cursor.rank) AND +rowid > \(cursor.row)))"
        }
        // FTS5 itself sorts by rank, and rows of one rank by number, before it makes excerpts. So it makes them only
        // for the rows of the page. If SQLite sorted, FTS5 would make one for each row that it finds. If the index were
        // asked again for each row, it would collect all words with a prefix each time.
        let score: SQL = options.order == .rank ? "rank" : "0.0"
        let order: SQL = options.order == .rank ? "rank" : "rowid"
        let rows = try SQLRequest<Row>(
            literal: """
                SELECT content.*, hit.score AS hablare_rank, hit.id AS hablare_row, hit.excerpt AS hablare_excerpt
                FROM (
                    SELECT rowid AS id, \(score) AS score,
                        snippet(\(identifier: name), -1, \(String(SearchExcerpt.start)), \(String(SearchExcerpt.end)),
                            '…', \(min(max(1, options.excerptLength), 64))) AS excerpt
                    FROM \(identifier: name) WHERE \(condition) ORDER BY \(order) LIMIT \(size + 1)
                ) AS hit
                CROSS JOIN \(identifier: table) AS content ON content.rowid = hit.id
                ORDER BY hit.score, hit.id
                """
        ).fetchAll(db)
        let last = rows.count > size ? rows[size - 1] : nil
        return SearchPage(
            hits: try rows.prefix(size).map { row in
                SearchHit(
                    record: try Record(row: row), rank: row["hablare_rank"],
                    excerpt: SearchExcerpt(marked: row["hablare_excerpt"] ?? ""))
            },
            next: last.map { SearchCursor(rank: $0["hablare_rank"], row: $0["hablare_row"]) })
    }

    /// Counts the rows that a search finds, on all pages together.
    ///
    /// - Parameters:
    ///   - terms: The terms to search for.
    ///   - request: The rows to search.
    ///   - options: The options of the search. Only the columns matter.
    ///   - db: The database.
    /// - Throws: ``SearchError`` for a column that the index does not have. The errors of reading.
    public func count<Record>(
        for terms: SearchTerms, among request: QueryInterfaceRequest<Record>, options: SearchOptions = SearchOptions(),
        in db: Database
    ) throws -> Int {
        try count(terms, " AND +rowid IN (\(request.select(Column.rowID)))", options, in: db)
    }

    /// Counts the rows that a search finds among all rows of the table, on all pages together.
    ///
    /// - Throws: ``SearchError`` for a column that the index does not have. The errors of reading.
    public func count(for terms: SearchTerms, options: SearchOptions = SearchOptions(), in db: Database) throws -> Int {
        try count(terms, "", options, in: db)
    }

    private func count(_ terms: SearchTerms, _ among: SQL, _ options: SearchOptions, in db: Database) throws -> Int {
        let match = try expression(terms, options)
        return try SQLRequest<Int>(
            literal: "SELECT count(*) FROM \(identifier: name) WHERE \(identifier: name) MATCH \(match)\(among)"
        ).fetchOne(db) ?? 0
    }

    private func expression(_ terms: SearchTerms, _ options: SearchOptions) throws -> String {
        guard let chosen = options.columns else { return terms.expression }
        if let missing = chosen.first(where: { !columns.contains($0) }) ?? (chosen.isEmpty ? "" : nil) {
            throw SearchError(
                .missingColumn,
                "The index \u{201C}\(name)\u{201D} has no column \u{201C}\(missing)\u{201D}. Choose from: \(columns.joined(separator: ", "))."
            )
        }
        let names = chosen.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
        return "{\(names)} : (\(terms.expression))"
    }
}

extension AppDatabase {
    /// Finds rows, off the caller's actor. See
    /// ``SearchIndex/search(for:as:among:after:options:in:)``.
    ///
    /// - Throws: ``SearchError``. The errors of reading and decoding. `CancellationError` if the task is cancelled.
    @concurrent
    public func search<Record: FetchableRecord & Sendable>(
        _ index: SearchIndex, for terms: SearchTerms, as type: Record.Type, after cursor: SearchCursor? = nil,
        options: SearchOptions = SearchOptions()
    ) async throws -> SearchPage<Record> {
        try await read { db in
            try index.search(for: terms, as: type, after: cursor, options: options, in: db)
        }
    }
}
