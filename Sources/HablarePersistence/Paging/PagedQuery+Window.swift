import GRDB

extension PagedQuery {
    /// What a window at a position shows: as many rows as there are for it, so that at an end of the table it is full.
    func window(at position: PagePosition, in db: Database) throws -> Page<Record> {
        let page = try page(position, in: db)
        guard page.rows.count < size else { return page }
        return switch position {
        case .after where page.previous != nil, .from where page.previous != nil: try self.page(.last, in: db)
        case .before where page.next != nil: try self.page(.first, in: db)
        default: page
        }
    }

    /// Tells, after each change of what the rows are read from, that there was one.
    func changes(in database: AppDatabase) -> DatabaseValues<Void> {
        database.values(of: ValueObservation.tracking(region: request(), fetch: { _ in }))
    }
}
