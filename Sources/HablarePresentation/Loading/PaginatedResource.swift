import Hablare

/// The loaded part of a list, with a function that loads more of the list.
///
/// A list is a value: loading more does not change it, but returns a new list with all loaded items. If loading more
/// fails, the old list is still valid. Show the new list in place of the old list, as a ``ResourcePresenter`` does.
///
/// ```swift
/// adapter.load { try await shown.more() }
/// ```
public struct PaginatedResource<Item: Sendable>: Sendable {
    /// The loaded items, in order.
    public let items: [Item]
    let nextPage: SharedLoad<PaginatedResource>?

    private init(items: [Item], nextPage: SharedLoad<PaginatedResource>?) {
        self.items = items
        self.nextPage = nextPage
    }

    /// Creates a complete list.
    public init(complete items: [Item]) {
        self.init(items: items, nextPage: nil)
    }

    /// Loads the first page of a list.
    ///
    /// - Parameters:
    ///   - taskExecutor: The executor that loads further pages. Default: the global executor.
    ///   - page: A function that loads the page at a cursor, off the main actor. `nil` stands for the first page.
    /// - Throws: The error that `page` throws.
    @concurrent public static func first<Cursor: Sendable>(
        taskExecutor: (any TaskExecutor)? = nil,
        page: @escaping @Sendable @concurrent (Cursor?) async throws -> Page<Item, Cursor>
    ) async throws -> PaginatedResource {
        appending(try await page(nil), to: [], TaskSpawner(executor: taskExecutor), page: page)
    }

    /// Whether the list has more items than the loaded ones.
    public var hasMore: Bool { nextPage != nil }

    /// A function that loads the next page and returns a list with all loaded items; `nil` at the end of the list.
    ///
    /// Concurrent callers share one load of the page. If a caller's task is cancelled, that caller gets
    /// `CancellationError` at once, and the load continues for the other callers. When the last caller is cancelled,
    /// the load is cancelled. After a failure, the function can be called again.
    public var loadMore: (@Sendable @concurrent () async throws -> PaginatedResource)? {
        guard let nextPage else { return nil }
        return { try await nextPage.value() }
    }

    /// Loads the next page, like ``loadMore``. At the end of the list, returns the list unchanged.
    ///
    /// - Throws: The error of loading the page, or `CancellationError`. After an error, you can still use this list.
    @concurrent public func more() async throws -> PaginatedResource {
        try await loadMore?() ?? self
    }

    private static func appending<Cursor: Sendable>(
        _ page: Page<Item, Cursor>, to items: [Item], _ spawner: TaskSpawner,
        page load: @escaping @Sendable @concurrent (Cursor?) async throws -> Page<Item, Cursor>
    ) -> PaginatedResource {
        let items = items + page.items
        guard let next = page.next else { return PaginatedResource(complete: items) }
        let nextPage = SharedLoad<PaginatedResource>(spawner) {
            appending(try await load(next), to: items, spawner, page: load)
        }
        return PaginatedResource(items: items, nextPage: nextPage)
    }
}
