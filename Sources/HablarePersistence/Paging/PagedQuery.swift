public import GRDB

/// A query that reads the rows of a request page by page. It finds a page by the position of a row, and does not count
/// rows. So a page far from the start is read as fast as the first page. If rows are inserted or deleted elsewhere, the
/// pages do not shift.
///
/// ```swift
/// let notes = try PagedQuery(order: PageOrder(.ascending("rank"), unique: .descending("id")), size: 50) { Note.all() }
/// let first = try await database.page(.first, of: notes)
/// ```
///
/// A read fetches at most two rows more than a page has. The request must select the columns of the order, as the
/// default selection does. The query replaces the order and the limit of the request.
public struct PagedQuery<Record: FetchableRecord & Sendable>: Sendable {
    /// The maximum value of ``size``.
    public static var largestSize: Int { 10_000 }

    /// The order of the rows.
    public let order: PageOrder
    /// The maximum number of rows in a page.
    public let size: Int
    let request: @Sendable () -> QueryInterfaceRequest<Record>

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - order: The order of the rows.
    ///   - size: The maximum number of rows in a page: 1 … ``largestSize``. Default: 50.
    ///   - request: A closure that returns the request for the rows.
    /// - Throws: ``PagingError`` if the size is out of its range.
    public init(
        order: PageOrder, size: Int = 50, _ request: @escaping @Sendable () -> QueryInterfaceRequest<Record>
    ) throws(PagingError) {
        guard (1...Self.largestSize).contains(size) else {
            throw PagingError(
                .invalidSize, "A page cannot have \(size) rows. Set the size to a number from 1 to \(Self.largestSize)."
            )
        }
        self.order = order
        self.size = size
        self.request = request
    }

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - position: The page to read. Default: the first page.
    ///   - db: The database.
    /// - Throws: ``PagingError`` if the cursor belongs to another order, or if the rows do not have a column of the
    ///   order. The errors of reading and decoding.
    public func page(_ position: PagePosition = .first, in db: Database) throws -> Page<Record> {
        let way = PageWay(to: position)
        // Reads one row more than the page has, to know whether there are more.
        var read = try rows(size + 1, on: way, db)
        let hasMore = read.count > size
        if hasMore { read.removeLast() }
        if way.direction == .backward { read.reverse() }
        let cursors = try read.map(cursor)
        let ends = try ends(of: cursors, hasMore: hasMore, on: way, db)
        return Page(
            rows: try read.map(Record.init(row:)), cursors: cursors, previous: ends.previous, next: ends.next)
    }

    /// Returns the positions before the first cursor and after the last cursor. `hasMore` says whether there are
    /// further rows in the direction of the read.
    private func ends(
        of cursors: [PageCursor], hasMore: Bool, on way: PageWay, _ db: Database
    ) throws -> (previous: PagePosition?, next: PagePosition?) {
        guard let first = cursors.first, let last = cursors.last else {
            // There are no rows beyond the cursor, so all existing rows are before it.
            let isEmpty = try way.cursor == nil || rows(1, on: PageWay(direction: way.direction.reversed), db).isEmpty
            if isEmpty { return (nil, nil) }
            return way.direction == .forward ? (.last, nil) : (nil, .first)
        }
        let back = PageWay(direction: way.direction.reversed, cursor: way.direction == .forward ? first : last)
        let isMiddle = try way.cursor != nil && !rows(1, on: back, db).isEmpty
        let (before, after) = way.direction == .forward ? (isMiddle, hasMore) : (hasMore, isMiddle)
        return (before ? .before(first) : nil, after ? .after(last) : nil)
    }

    // MARK: Reading

    /// Reads at most `count` rows. The nearest rows are first.
    private func rows(_ count: Int, on way: PageWay, _ db: Database) throws -> [Row] {
        var rows: [Row] = []
        for request in try requests(on: way) where rows.count < count {
            rows += try Row.fetchAll(db, request.limit(count - rows.count))
        }
        return rows
    }

    /// Returns the requests that read the rows, in the order in which they are used. Each request reads a range of the
    /// index.
    func requests(on way: PageWay) throws -> [QueryInterfaceRequest<Row>] {
        let columns = way.direction == .forward ? order.columns : order.columns.map(\.reversed)
        let sorted = request().asRequest(of: Row.self).order(columns.map(\.term))
        guard let cursor = way.cursor else { return [sorted] }
        guard cursor.order == order.signature, cursor.values.count == columns.count else {
            throw PagingError(
                .cursorOfAnotherOrder,
                "A query with another order created the cursor. Begin at the first page, or use that query's order."
            )
        }
        return PageParts(beyond: cursor.values, in: columns, isInclusive: way.isInclusive).parts.map { part in
            sorted.filter(part.map { $0.condition.expression(Column($0.column)) }.joined(operator: .and))
        }
    }

    private func cursor(of row: Row) throws -> PageCursor {
        PageCursor(
            order: order,
            values: try order.columns.map { column in
                guard row.hasColumn(column.name) else {
                    throw PagingError(
                        .missingColumn,
                        "The rows do not have the column \u{201C}\(column.name)\u{201D}, which the order needs. Select the column, or choose another order."
                    )
                }
                return row[column.name]
            })
    }
}
