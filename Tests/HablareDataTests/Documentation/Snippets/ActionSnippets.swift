import Foundation
import GRDB
import HablareData
import ServiceLifecycle

// snippet: an action
/// What a swipe asks for.
struct PhotoSwipe: QueuedAction {
    enum Kind: String, Codable {
        case trash, favourite, keep
        case restore, unfavourite
    }

    var kind: Kind
    var photo: String

    /// Swipes of one kind are committed together.
    var group: Kind { kind }
    /// What is done to one photo is done in order.
    var subject: String? { photo }
    /// Keeping a photo is a step to be undone, and nothing to be done.
    var isNothing: Bool { kind == .keep }
    /// What takes it back after it was done.
    var compensation: PhotoSwipe? {
        switch kind {
        case .trash: PhotoSwipe(kind: .restore, photo: photo)
        case .favourite: PhotoSwipe(kind: .unfavourite, photo: photo)
        case .keep, .restore, .unfavourite: nil
        }
    }
}
// end snippet

// snippet: a committer
/// Carries swipes out in a photo library.
struct PhotoCommitter: ActionCommitter {
    /// Changes one photo, and is content where it is so already; yours.
    let change: @Sendable (String, PhotoSwipe.Kind) async throws -> Void

    func commit(_ items: [ActionItem<PhotoSwipe>], of kind: PhotoSwipe.Kind) async -> [ActionOutcome] {
        var outcomes: [ActionOutcome] = []
        for item in items {
            do {
                try await change(item.action.photo, kind)
                outcomes.append(.done)
            } catch let error as CocoaError where error.code == .fileNoSuchFile {
                // Moved by the attempt before; or gone, as it will be the next time.
                outcomes.append(item.isRepeated ? .done : .failed(error, isRetryable: false))
            } catch {
                outcomes.append(.failed(error, isRetryable: true))
            }
        }
        return outcomes
    }
}
// end snippet

// snippet: a model with a queue
/// What a view of photos shows and does.
@MainActor final class PhotoSwipeModel {
    private let queue: DurableActionQueue<PhotoCommitter>
    private(set) var photos: [String]
    private(set) var state = ActionQueueSnapshot()

    init(photos: [String], queue: DurableActionQueue<PhotoCommitter>) {
        self.photos = photos
        self.queue = queue
    }

    /// Follows the queue; ends with its task.
    func follow() async {
        for await snapshot in queue.updates { state = snapshot }
    }

    /// On return the swipe is on disk: the next photo may be shown.
    func swipe(_ kind: PhotoSwipe.Kind) async throws {
        guard let photo = photos.first else { return }
        try await queue.append(PhotoSwipe(kind: kind, photo: photo))
        photos.removeFirst()
    }

    /// Shows the photo again that was swiped last, whether or not its swipe was carried out.
    func undo() async throws {
        photos.insert(try await queue.undo().action.photo, at: 0)
    }
}
// end snippet

// snippet: edits in the app's own database
/// A change of a note.
struct NoteEdit: QueuedAction {
    var note: Int64
    var text: String
    var before: String

    var group: String { "notes" }
    var subject: String? { "\(note)" }
    var compensation: NoteEdit? { NoteEdit(note: note, text: before, before: text) }
}

/// Edits of notes are done exactly once: each in the transaction that marks it as done.
func openEdits(
    in database: any DatabaseWriter
) async throws -> DurableActionQueue<TransactionalCommitter<NoteEdit>> {
    try await DurableActionQueue("edits", in: database) { edit, database in
        try database.execute(sql: "UPDATE note SET text = ? WHERE id = ?", arguments: [edit.text, edit.note])
    }
}
// end snippet

// snippet: a committer that looks
/// A message to be sent.
struct OutgoingMessage: QueuedAction {
    var text: String

    var group: String { "messages" }
}

/// Sends messages by a service that takes each of them as a new one, and says which ones it has.
struct MessageCommitter: ActionCommitter {
    /// Sends a text, with a key by which it is found again; yours.
    let send: @Sendable (_ text: String, _ key: String) async throws -> Void
    /// Whether the service has a text of that key; yours.
    let has: @Sendable (_ key: String) async throws -> Bool

    func commit(_ items: [ActionItem<OutgoingMessage>], of group: String) async -> [ActionOutcome] {
        var outcomes: [ActionOutcome] = []
        for item in items {
            do {
                try await send(item.action.text, item.idempotencyKey)
                outcomes.append(.done)
            } catch let error as POSIXError where error.code == .ECONNREFUSED {
                outcomes.append(.failed(error, isRetryable: true))
            } catch {
                // It may have arrived, and its answer was lost.
                outcomes.append(.unknown(error))
            }
        }
        return outcomes
    }

    /// Asked before a message is sent again. What this throws puts that off.
    func wasApplied(_ item: ActionItem<OutgoingMessage>) async throws -> Bool? {
        try await has(item.idempotencyKey)
    }
}
// end snippet

// snippet: flush once it runs
/// Commits what waits, also where the queue's `run()` was started only this moment.
func flushOnceRunning<Committer>(_ queue: DurableActionQueue<Committer>) async throws {
    for await state in queue.updates where state.isRunning { break }
    try await queue.flush()
}
// end snippet

// snippet: a watch as a service
/// Shows how a queue stands, for as long as the `ServiceGroup` runs.
struct QueueWatch<Committer: ActionCommitter>: Service {
    let queue: DurableActionQueue<Committer>
    let show: @Sendable (ActionQueueSnapshot) async -> Void

    func run() async {
        await cancelWhenGracefulShutdown {
            for await state in queue.updates { await show(state) }
        }
    }
}
// end snippet
