import Hablare
import HablarePresentationTestKit
import HablareSupport
import HablareTestKit
import Testing

@testable import HablarePresentation

@Suite(.timeLimit(.minutes(2))) struct PaginatedResourceTests {
    /// Returns a page of a list of numbers in pages of three, with the next number as the cursor.
    private func page(from cursor: Int?, count: Int = 7) -> Page<Int, Int> {
        let start = cursor ?? 0
        let end = min(start + 3, count)
        return Page(items: Array(start..<end), next: end < count ? end : nil)
    }

    @Test("Pages are added up to the last one")
    func walks() async throws {
        var list = try await PaginatedResource<Int>.first { self.page(from: $0) }
        #expect(list.items == [0, 1, 2])
        var sizes: [Int] = []
        while let loadMore = list.loadMore {
            #expect(list.hasMore)
            list = try await loadMore()
            sizes.append(list.items.count)
        }
        #expect(sizes == [6, 7])
        #expect(list.items == Array(0..<7))
        #expect(!list.hasMore)
        #expect(try await list.more().items.count == 7)
    }

    @Test("A list of one page has no more")
    func onePage() async throws {
        let list = try await PaginatedResource<Int>.first { self.page(from: $0, count: 2) }
        #expect(list.items == [0, 1])
        #expect(list.loadMore == nil)
        #expect(PaginatedResource(complete: [1]).loadMore == nil)
    }

    @Test("Concurrent callers of one page share its load")
    func once() async throws {
        let gate = Gate()
        let calls = Locked(0)
        let list = try await PaginatedResource<Int>.first { (cursor: Int?) in
            if cursor != nil {
                calls.withLock { $0 += 1 }
                try await gate.pass()
            }
            return page(from: cursor)
        }
        let load = try #require(list.loadMore)
        try await withThrowingTaskGroup(of: PaginatedResource<Int>.self) { group in
            for _ in 0..<10 { group.addTask { try await load() } }
            while list.nextPage?.waiterCount != 10 { await Task.yield() }
            gate.open()
            for try await more in group { #expect(more.items == [0, 1, 2, 3, 4, 5]) }
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("An error keeps the loaded items, and the load can be repeated")
    func error() async throws {
        let fails = Locked(true)
        let list = try await PaginatedResource<Int>.first { (cursor: Int?) in
            if cursor != nil, fails.withLock({ $0 }) { throw AIServiceError(.connectionFailed, "No network.") }
            return page(from: cursor)
        }
        await #expect(throws: AIServiceError.self) { try await list.more() }
        #expect(list.items == [0, 1, 2])
        #expect(list.hasMore)
        fails.withLock { $0 = false }
        #expect(try await list.more().items.count == 6)
    }

    @MainActor
    @Test("A presenter shows page after page, and an error keeps the shown pages")
    func presented() async throws {
        let fails = Locked(false)
        let view = ViewRecorder()
        let shown = Shown()
        let presenter = ResourcePresenter<PaginatedResource<Int>, ViewRecorder>(view: view) { list in
            shown.list = list
            return "\(list.items)"
        }
        let adapter = PresentationAdapter(presenter: presenter, policy: .ignoreWhileLoading) {
            try await PaginatedResource<Int>.first { (cursor: Int?) in
                if fails.withLock({ $0 }) { throw AIServiceError(.connectionFailed, "No network.") }
                return page(from: cursor)
            }
        }
        adapter.load()
        await adapter.settled()
        let first = try #require(shown.list)
        adapter.load { try await first.more() }
        await adapter.settled()
        #expect(view.resources == ["[0, 1, 2]", "[0, 1, 2, 3, 4, 5]"])
        fails.withLock { $0 = true }
        let second = try #require(shown.list)
        adapter.load { try await second.more() }
        await adapter.settled()
        #expect(view.resources.count == 2)
        #expect(view.messages.last == "No network.")
        #expect(shown.list?.items.count == 6)
    }
}

@MainActor private final class Shown {
    var list: PaginatedResource<Int>?
}
