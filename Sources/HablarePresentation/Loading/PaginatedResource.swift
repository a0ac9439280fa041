import Hablare

/// A list as far as it was loaded, and how to load more of it.
///
/// A value: what is shown stays what it is while more is loaded, and when loading more fails. Loading more answers with a new
/// value that has all items; show that one in place of this one, as a ``ResourcePresenter`` does.
///
/// ```swift
/// adapter.load { try await shown.more() }
/// ```
public struct PaginatedResource<Item: Sendable>: Sendable {
    /// The items so far, in order.
    public let items: [Item]
    let nextPage: SharedLoad<PaginatedResource>?

    private init(items: [Item], nextPage: SharedLoad<PaginatedResource>?) {
        self.items = items
        self.nextPage = nextPage
    }

    /// Creates a list that is complete.
    public init(complete items: [Item]) {
        self.init(items: items, nextPage: nil)
    }

    /// Loads the first page of a list.
    ///
    /// - Parameters:
    ///   - taskExecutor: Where further pages are loaded. Default: the global executor.
    ///   - page: Loads the page that begins at a cursor, off the main actor; `nil` stands for the first page.
    /// - Throws: What `page` throws.
    @concurrent public static func first<Cursor: Sendable>(
        taskExecutor: (any TaskExecutor)? = nil,
        page: @escaping @Sendable @concurrent (Cursor?) async throws -> Page<Item, Cursor>
    ) async throws -> PaginatedResource {
        appending(try await page(nil), to: [], TaskSpawner(executor: taskExecutor), page: page)
    }

    /// Whether there is more than what was loaded.
    public var hasMore: Bool { nextPage != nil }

    /// Loads the next page; absent at the end of the list.
    ///
    /// Whoever calls it while it is being loaded gets the same page: it is loaded once. A caller whose task is cancelled gets
    /// `CancellationError` at once; the page goes on being loaded as long as somebody else waits for it, and is cancelled with
    /// the last one. What fails can be asked for again.
    public var loadMore: (@Sendable @concurrent () async throws -> PaginatedResource)? {
        guard let nextPage else { return nil }
        return { try await nextPage.value() }
    }

    /// Loads the next page as ``loadMore`` does; at the end of the list, answers with the list as it is.
    ///
    /// - Throws: What loading the page throws, or `CancellationError`; this value stays good.
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
