public import GRDB
public import Observation

/// A window on the rows of a table of any length, for a list. It moves over the table and never holds more rows than a
/// page of its query.
///
/// ```swift
/// let window = PageWindow(notes, in: database)
/// try await window.load()              // the first rows
/// try await window.moveForward()       // when the list nears its end
/// try await window.observe()           // in a task of its own: stays right when rows come, change or go
/// ```
///
/// Rows that are inserted or deleted elsewhere do not move the window. It keeps its first row, or that row's position
/// if the row is gone. At the start of the table it stays there, and shows rows that are inserted there.
@MainActor
@Observable
public final class PageWindow<Record: FetchableRecord & Sendable> {
    /// The rows, at most a page of the query. Empty before the first load.
    public private(set) var rows: [Record] = []
    /// Whether there are rows before these.
    public private(set) var hasRowsBefore = false
    /// Whether there are rows after these.
    public private(set) var hasRowsAfter = false

    @ObservationIgnored private let query: PagedQuery<Record>
    @ObservationIgnored private let database: AppDatabase
    /// The position of the newest move, which may not have been read yet.
    @ObservationIgnored private var position = PagePosition.first
    /// The position of the present rows.
    @ObservationIgnored private var shown = PagePosition.first
    @ObservationIgnored private var cursors: [PageCursor] = []
    /// The number of the newest read. The result of an older read is discarded.
    @ObservationIgnored private var newest = 0

    /// Creates a window at the start, without rows.
    ///
    /// - Parameters:
    ///   - query: The query for the rows. Its ``PagedQuery/size`` is the size of the window.
    ///   - database: The database, which is read and observed away from the main actor.
    public init(_ query: PagedQuery<Record>, in database: AppDatabase) {
        self.query = query
        self.database = database
    }

    /// Reads the rows at the window's position.
    ///
    /// - Throws: The errors of ``PagedQuery/page(_:in:)``, and `CancellationError`. The window then stays as it was.
    public func load() async throws { try await move(to: position) }

    /// Moves the window.
    ///
    /// If two moves run at the same time, the later one counts. The earlier one returns without an effect.
    ///
    /// - Parameter position: The position at which its rows begin, or end for ``PagePosition/before(_:)`` and
    ///   ``PagePosition/last``. If there are too few rows, the window is at the end of the table.
    /// - Throws: The errors of ``PagedQuery/page(_:in:)``, and `CancellationError`. The window then stays as it was.
    public func move(to position: PagePosition) async throws {
        self.position = position
        newest += 1
        let number = newest
        do {
            let page = try await database.read { [query] db in try query.window(at: position, in: db) }
            if number == newest { show(page) }
        } catch {
            // Not the position before this move: that of an earlier move may not have been read, and that move has no
            // effect now.
            if number == newest { self.position = shown }
            throw error
        }
    }

    /// Moves the window towards the end of the table. A window at the end does not move.
    ///
    /// - Parameter count: The number of rows to move by, from 1 to the size of the window. Default: half a window.
    /// - Throws: The errors of ``move(to:)``.
    public func moveForward(by count: Int? = nil) async throws {
        guard hasRowsAfter else { return }
        try await move(to: .after(cursors[step(count) - 1]))
    }

    /// Moves the window towards the start of the table. A window at the start does not move.
    ///
    /// - Parameter count: The number of rows to move by, from 1 to the size of the window. Default: half a window.
    /// - Throws: The errors of ``move(to:)``.
    public func moveBack(by count: Int? = nil) async throws {
        guard hasRowsBefore else { return }
        try await move(to: .before(cursors[cursors.count - step(count)]))
    }

    /// Keeps the window up to date while any process inserts, changes or deletes rows. Reads it now, and again after
    /// each change of the tables that it reads.
    ///
    /// - Throws: The errors of a read; `CancellationError` if the task is cancelled, which is the way to end it.
    public func observe() async throws {
        for try await _ in query.changes(in: database) { try await load() }
        throw CancellationError()
    }

    private func step(_ count: Int?) -> Int { min(max(1, count ?? cursors.count / 2), cursors.count) }

    private func show(_ page: Page<Record>) {
        rows = page.rows
        cursors = page.cursors
        hasRowsBefore = page.previous != nil
        hasRowsAfter = page.next != nil
        switch position {
        case .first, .last: break
        default: position = hasRowsBefore ? cursors.first.map(PagePosition.from) ?? .first : .first
        }
        shown = position
    }
}
