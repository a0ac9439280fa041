public import Foundation
import GRDB
import HablarePersistence
public import LecternTexts
public import Observation

/// The marks of the chapter that is shown, or a filtered list of all marks, for a view. Follows all changes, also those
/// of other windows, while ``run()`` runs.
@MainActor @Observable
public final class MarksModel {
    /// A selection of marks.
    public enum Scope: Hashable, Sendable {
        /// The marks of a chapter of a text.
        case chapter(ChapterID, TextDescription)
        /// All marks that pass a filter, page by page.
        case list(MarkFilter)
    }

    /// The contents of the view.
    public struct State: Hashable, Sendable {
        /// The marks of the chapter, or of the pages that were asked for.
        public var marks: [Mark] = []
        /// The number of marks, also of pages that were not asked for.
        public var total = 0
        /// The folders, by name.
        public var folders: [MarkFolder] = []
        /// The tags that are in use, by name.
        public var tags: [String] = []
        /// Whether the list has more marks.
        public var hasMore: Bool { marks.count < total }
    }

    /// The marks that are shown.
    public private(set) var scope: Scope
    /// The marks, folders and tags.
    public private(set) var state = State()
    /// The message of the last failure, with advice; `nil` after a success. The view keeps what a person typed.
    public private(set) var message: String?
    /// Whether a change can be undone.
    public private(set) var canUndo = false
    /// Whether an undone change can be made again.
    public private(set) var canRedo = false

    /// The number of marks of a page: 50.
    public static let pageSize = 50

    @ObservationIgnored private let data: PersonalData
    private var limit = MarksModel.pageSize
    /// A number that rises when the selection changes, so that the observation begins again.
    private var selection = 0

    /// Creates a model.
    public init(_ data: PersonalData, _ scope: Scope) {
        self.data = data
        self.scope = scope
    }

    /// Shows other marks, from the first page on.
    public func show(_ scope: Scope) {
        guard scope != self.scope else { return }
        self.scope = scope
        limit = Self.pageSize
        selection += 1
    }

    /// Shows one page more of a list.
    public func showMore() {
        guard state.hasMore else { return }
        limit += Self.pageSize
        selection += 1
    }

    /// Reads the marks once.
    public func refresh() async throws {
        let (scope, limit) = (scope, limit)
        show(try await data.database.read { try Self.state(of: scope, limit: limit, in: $0) }, of: scope)
    }

    /// Follows all changes until the task is cancelled.
    ///
    /// - Throws: The errors of reading.
    public func run() async throws {
        while !Task.isCancelled {
            let (scope, limit, number) = (scope, limit, selection)
            let values = data.database.values { try Self.state(of: scope, limit: limit, in: $0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.follow(values, of: scope) }
                // Changes of the selection end the observation of the old one.
                group.addTask { await self.untilSelectionDiffers(from: number) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func follow(_ values: DatabaseValues<State>, of scope: Scope) async throws {
        for try await state in values { show(state, of: scope) }
    }

    private func untilSelectionDiffers(from number: Int) async {
        for await now in Observations({ self.selection }) where now != number { return }
    }

    private func show(_ state: State, of scope: Scope) {
        guard scope == self.scope else { return }
        if state != self.state { self.state = state }
        showDepths()
    }

    private func showDepths() {
        let depths = data.depths
        (canUndo, canRedo) = (depths.undo > 0, depths.redo > 0)
    }

    nonisolated private static func state(of scope: Scope, limit: Int, in db: Database) throws -> State {
        let store = MarkStore()
        var state = State()
        switch scope {
        case .chapter(let chapter, let text):
            state.marks = try store.marks(of: chapter, in: text, db)
            state.total = state.marks.count
        case .list(let filter):
            state.marks = try store.page(of: filter, size: min(limit, 10_000), in: db).marks
            state.total = try store.count(of: filter, in: db)
        }
        state.folders = try store.folders(in: db)
        state.tags = try store.tags(in: db).map(\.tag)
        return state
    }

    // MARK: Changes

    /// Carries out a command, and shows the result or the message of the failure.
    ///
    /// - Returns: The result; `nil` after a failure. A form keeps its text then.
    @discardableResult
    public func perform(_ command: MarkCommand) async -> MarkOutcome? {
        await attempt { try await self.data.perform(command) }
    }

    /// Undoes the last change of marks or plans.
    @discardableResult
    public func undo(command: UUID) async -> PersonalData.Step? {
        await attempt { try await self.data.undo(command: command) }
    }

    /// Makes the change again that was undone last.
    @discardableResult
    public func redo(command: UUID) async -> PersonalData.Step? {
        await attempt { try await self.data.redo(command: command) }
    }

    private func attempt<R>(_ body: () async throws -> R) async -> R? {
        do {
            let result = try await body()
            message = nil
            try await refresh()
            return result
        } catch {
            message = (error as? PersonalDataError)?.message ?? "The change was not saved. Try again."
            showDepths()
            return nil
        }
    }
}
