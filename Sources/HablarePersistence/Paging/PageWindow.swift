public import GRDB
public import Observation

/// Some rows of a table that may be any length, for a list that shows it: it moves over the table and never holds more
/// rows than its query's page.
///
/// ```swift
/// let window = PageWindow(notes, in: database)
/// try await window.load()              // the first rows
/// try await window.moveForward()       // when the list nears its end
/// try await window.observe()           // in a task of its own: stays right when rows come, change or go
/// ```
///
/// Rows that are inserted or deleted elsewhere do not move it: it keeps its first row, or the place where that was. At
/// the start it stays at the start, and shows what is inserted there.
@MainActor
@Observable
public final class PageWindow<Record: FetchableRecord & Sendable> {
    /// The rows, at most a page of the query. None before the first load.
    public private(set) var rows: [Record] = []
    /// Whether there are rows before these.
    public private(set) var hasRowsBefore = false
    /// Whether there are rows after these.
    public private(set) var hasRowsAfter = false

    @ObservationIgnored private let query: PagedQuery<Record>
    @ObservationIgnored private let database: AppDatabase
    /// Where it is to be: the place of the newest move, which may not have been read yet.
    @ObservationIgnored private var position = PagePosition.first
    /// Where the rows are that it has.
    @ObservationIgnored private var shown = PagePosition.first
    @ObservationIgnored private var cursors: [PageCursor] = []
    /// The number of the newest read: what an older one gives comes too late.
    @ObservationIgnored private var newest = 0

    /// Creates a window at the start, without rows.
    ///
    /// - Parameters:
    ///   - query: The rows and their order; its size is the window's.
    ///   - database: The database, which is read and observed away from the main actor.
    public init(_ query: PagedQuery<Record>, in database: AppDatabase) {
        self.query = query
        self.database = database
    }

    /// Reads the rows at the window's place.
    ///
    /// - Throws: What ``PagedQuery/page(_:in:)`` throws, and `CancellationError`; the window then stays as it was.
    public func load() async throws { try await move(to: position) }

    /// Moves the window.
    ///
    /// Where two moves run at the same time the later one counts, and the earlier returns without an effect.
    ///
    /// - Parameter position: Where its rows begin, or end for ``PagePosition/before(_:)`` and ``PagePosition/last``. Where
    ///   there are too few rows, it is at the end of the table.
    /// - Throws: What ``PagedQuery/page(_:in:)`` throws, and `CancellationError`; the window then stays as it was.
    public func move(to position: PagePosition) async throws {
        self.position = position
        newest += 1
        let number = newest
        do {
            let page = try await database.read { [query] db in try query.window(at: position, in: db) }
            if number == newest { show(page) }
        } catch {
            // Not where it was to be before: an earlier move may not have got there, and returns without an effect now.
            if number == newest { self.position = shown }
            throw error
        }
    }

    /// Moves the window towards the end; at the end it stays.
    ///
    /// - Parameter count: By how many rows, from 1 to all it has. Default: by half a window.
    /// - Throws: As ``move(to:)``.
    public func moveForward(by count: Int? = nil) async throws {
        guard hasRowsAfter else { return }
        try await move(to: .after(cursors[step(count) - 1]))
    }

    /// Moves the window towards the start; at the start it stays.
    ///
    /// - Parameter count: By how many rows, from 1 to all it has. Default: by half a window.
    /// - Throws: As ``move(to:)``.
    public func moveBack(by count: Int? = nil) async throws {
        guard hasRowsBefore else { return }
        try await move(to: .before(cursors[cursors.count - step(count)]))
    }

    /// Keeps the window right while rows come, change and go, by whatever process: reads it now, and again after each
    /// change of the tables it reads from.
    ///
    /// - Throws: What a read throws; `CancellationError` when the task is cancelled, which is how it ends.
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
