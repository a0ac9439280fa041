public import GRDB
public import Observation

/// A window over the rows of a table of any length, for a list. The window never holds more rows than a page of its
/// query, and can be moved.
///
/// ```swift
/// let window = PageWindow(notes, in: database)
/// try await window.load()              // the first rows
/// try await window.moveForward()       // when the list nears its end
/// try await window.observe()           // in a task of its own: stays right when rows come, change or go
/// ```
///
/// If rows are inserted or deleted outside the window, the window still begins at the same row. If its first row is
/// deleted, the window begins at that row's former position. At the start of the table, the window stays at the start,
/// and so shows new rows that are inserted there.
@MainActor
@Observable
public final class PageWindow<Record: FetchableRecord & Sendable> {
    /// The rows. There are at most as many as in a page of the query. Empty before the first load.
    public private(set) var rows: [Record] = []
    /// Whether there are rows before the window.
    public private(set) var hasRowsBefore = false
    /// Whether there are rows after the window.
    public private(set) var hasRowsAfter = false

    @ObservationIgnored private let query: PagedQuery<Record>
    @ObservationIgnored private let database: AppDatabase
    /// The position of the newest move. The window may still be reading the rows at this position.
    @ObservationIgnored private var position = PagePosition.first
    /// The position of the current rows.
    @ObservationIgnored private var shown = PagePosition.first
    @ObservationIgnored private var cursors: [PageCursor] = []
    /// The number of the newest read. Results of older reads are discarded.
    @ObservationIgnored private var newest = 0

    /// Creates a window at the start, without rows.
    ///
    /// - Parameters:
    ///   - query: The query for the rows. Its ``PagedQuery/size`` is the size of the window.
    ///   - database: The database. It is read and observed off the main actor.
    public init(_ query: PagedQuery<Record>, in database: AppDatabase) {
        self.query = query
        self.database = database
    }

    /// Reads the rows at the window's position.
    ///
    /// - Throws: The errors of ``PagedQuery/page(_:in:)``, and `CancellationError`. After an error, the window is
    ///   unchanged.
    public func load() async throws { try await move(to: position) }

    /// Moves the window.
    ///
    /// If a second move begins before the first move has ended, the second move takes effect. The first move returns
    /// without an effect.
    ///
    /// - Parameter position: The position at which the window's rows begin. For ``PagePosition/before(_:)`` and
    ///   ``PagePosition/last``, the position at which they end. If there are too few rows, the window is placed at the
    ///   end of the table.
    /// - Throws: The errors of ``PagedQuery/page(_:in:)``, and `CancellationError`. After an error, the window is
    ///   unchanged.
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

    /// Keeps the window up to date until the task is cancelled. Reads the window's rows now, and again after each
    /// change of the tables that it reads, by any process.
    ///
    /// - Throws: The errors of a read. `CancellationError` if the task is cancelled. To end the method, cancel the
    ///   task.
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
