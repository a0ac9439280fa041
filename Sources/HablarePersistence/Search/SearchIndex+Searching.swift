public import GRDB

extension SearchIndex {
    /// Finds rows, the best first.
    ///
    /// - Parameters:
    ///   - terms: What is searched for.
    ///   - type: What a row is.
    ///   - request: Among which rows. Default: all of the table.
    ///   - cursor: Where the page before ended. Default: the first page.
    ///   - options: How much.
    ///   - db: The database.
    /// - Throws: ``SearchError`` for a column that the index has not; what reading and decoding throws.
    public func search<Record: FetchableRecord & Sendable>(
        for terms: SearchTerms, as type: Record.Type, among request: QueryInterfaceRequest<Record>? = nil,
        after cursor: SearchCursor? = nil, options: SearchOptions = SearchOptions(), in db: Database
    ) throws -> SearchPage<Record> {
        let size = min(max(1, options.size), Int(Int32.max))
        let match = try expression(terms, options)
        // The unary plus hides the rank from FTS5, which takes a comparison with it for the choice of a ranking.
        var found: SQL =
            "SELECT rowid AS id, rank AS score FROM \(identifier: name) WHERE \(identifier: name) MATCH \(match)"
        if let request {
            found += " AND rowid IN (\(request.select(Column.rowID)))"
        }
        if let cursor {
            found += " AND (+rank > \(cursor.rank) OR (+rank = \(cursor.rank) AND +rowid > \(cursor.row)))"
        }
        // Excerpts are made for the rows of the page and not for all that are found.
        let rows = try SQLRequest<Row>(
            literal: """
                SELECT content.*, score AS hablare_rank, content.rowid AS hablare_row,
                    snippet(\(identifier: name), -1, \(String(SearchExcerpt.start)), \(String(SearchExcerpt.end)),
                        '…', \(min(max(1, options.excerptLength), 64))) AS hablare_excerpt
                FROM (\(found) ORDER BY rank, rowid LIMIT \(size + 1)) AS hit
                CROSS JOIN \(identifier: name) ON \(identifier: name).rowid = hit.id
                CROSS JOIN \(identifier: table) AS content ON content.rowid = hit.id
                WHERE \(identifier: name) MATCH \(match)
                ORDER BY score, hit.id
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

    private func expression(_ terms: SearchTerms, _ options: SearchOptions) throws -> String {
        guard let chosen = options.columns else { return terms.expression }
        if let missing = chosen.first(where: { !columns.contains($0) }) ?? (chosen.isEmpty ? "" : nil) {
            throw SearchError(
                .missingColumn,
                "The index \u{201C}\(name)\u{201D} has no column \u{201C}\(missing)\u{201D}. Choose of \(columns.joined(separator: ", "))."
            )
        }
        let names = chosen.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
        return "{\(names)} : (\(terms.expression))"
    }
}

extension AppDatabase {
    /// Finds rows, the best first, away from the caller's actor: see ``SearchIndex/search(for:as:among:after:options:in:)``.
    ///
    /// - Throws: ``SearchError``; what reading and decoding throws; `CancellationError` when the task is cancelled.
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
