import Foundation
import GRDB
import HablareData
import ServiceLifecycle

// snippet: an action
/// The action of a swipe.
struct PhotoSwipe: QueuedAction {
    enum Kind: String, Codable {
        case trash, favourite, keep
        case restore, unfavourite
    }

    var kind: Kind
    var photo: String

    /// Swipes of one kind are committed together.
    var group: Kind { kind }
    /// Actions on the same photo are committed in order.
    var subject: String? { photo }
    /// Keeping a photo can be undone, but commits nothing.
    var isNothing: Bool { kind == .keep }
    /// The action that reverts this one after it was committed.
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
/// Commits swipes to a photo library.
struct PhotoCommitter: ActionCommitter {
    /// Your own function that changes one photo. It succeeds if the photo is already so.
    let change: @Sendable (String, PhotoSwipe.Kind) async throws -> Void

    func commit(_ items: [ActionItem<PhotoSwipe>], of kind: PhotoSwipe.Kind) async -> [ActionOutcome] {
        var outcomes: [ActionOutcome] = []
        for item in items {
            do {
                try await change(item.action.photo, kind)
                outcomes.append(.done)
            } catch let error as CocoaError where error.code == .fileNoSuchFile {
                // A previous attempt moved it, or it is gone, which no retry can change.
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
/// The model of a view of photos.
@MainActor final class PhotoSwipeModel {
    private let queue: DurableActionQueue<PhotoCommitter>
    private(set) var photos: [String]
    private(set) var state = ActionQueueSnapshot()

    init(photos: [String], queue: DurableActionQueue<PhotoCommitter>) {
        self.photos = photos
        self.queue = queue
    }

    /// Follows the queue until the task is cancelled.
    func follow() async {
        for await snapshot in queue.updates { state = snapshot }
    }

    /// Records a swipe. On return it is on disk, and the next photo may be shown.
    func swipe(_ kind: PhotoSwipe.Kind) async throws {
        guard let photo = photos.first else { return }
        try await queue.append(PhotoSwipe(kind: kind, photo: photo))
        photos.removeFirst()
    }

    /// Undoes the last swipe, whether or not it was committed, and shows its photo again.
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

/// Opens a queue that applies each edit exactly once, in the transaction that marks it as done.
func openEdits(
    in database: any DatabaseWriter
) async throws -> DurableActionQueue<TransactionalCommitter<NoteEdit>> {
    try await DurableActionQueue("edits", in: database) { edit, database in
        try database.execute(sql: "UPDATE note SET text = ? WHERE id = ?", arguments: [edit.text, edit.note])
    }
}
// end snippet

// snippet: an action with the app's own tables
/// Records that a photo was rejected, and appends the action that moves it to the trash, in one commit.
func reject(_ photo: String, with queue: DurableActionQueue<PhotoCommitter>) async throws {
    try await queue.transaction { database, actions in
        try database.execute(sql: "UPDATE photo SET isRejected = 1 WHERE name = ?", arguments: [photo])
        try actions.append(PhotoSwipe(kind: .trash, photo: photo))
    }
}
// end snippet

// snippet: a committer that looks
/// A message to send.
struct OutgoingMessage: QueuedAction {
    var text: String

    var group: String { "messages" }
}

/// Sends messages to a service that does not detect duplicates, but can look up a message by its key.
struct MessageCommitter: ActionCommitter {
    /// Your own function that sends a text with a key.
    let send: @Sendable (_ text: String, _ key: String) async throws -> Void
    /// Your own function that returns whether the service has a text with that key.
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
                // The service may have received the message, even if its answer was lost.
                outcomes.append(.unknown(error))
            }
        }
        return outcomes
    }

    /// Called before a message is sent again. An error postpones the repetition.
    func wasApplied(_ item: ActionItem<OutgoingMessage>) async throws -> Bool? {
        try await has(item.idempotencyKey)
    }
}
// end snippet

// snippet: flush once it runs
/// Commits the waiting actions. First waits until the queue's `run()` has started.
func flushOnceRunning<Committer>(_ queue: DurableActionQueue<Committer>) async throws {
    for await state in queue.updates where state.isRunning { break }
    try await queue.flush()
}
// end snippet

// snippet: a watch as a service
/// Shows the state of a queue for as long as the `ServiceGroup` runs.
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
