import GRDB

extension PagedQuery {
    /// Returns the rows of a window at a position. If too few rows follow the position, returns the first or the last
    /// page, so that the window is full.
    func window(at position: PagePosition, in db: Database) throws -> Page<Record> {
        let page = try page(position, in: db)
        guard page.rows.count < size else { return page }
        return switch position {
        case .after where page.previous != nil, .from where page.previous != nil: try self.page(.last, in: db)
        case .before where page.next != nil: try self.page(.first, in: db)
        default: page
        }
    }

    /// Returns a sequence with an element after each change of the data that the rows are read from.
    func changes(in database: AppDatabase) -> DatabaseValues<Void> {
        database.values(of: ValueObservation.tracking(region: request(), fetch: { _ in }))
    }
}
