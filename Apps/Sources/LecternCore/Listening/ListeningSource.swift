public import LecternTexts

/// The text that is listened to, as the player needs it.
public struct ListeningSource: Sendable {
    /// The id of the text.
    public var text: String
    /// Reads a chapter.
    public var chapter: @Sendable (ChapterID) async throws -> Chapter
    /// Returns the chapter after another one; `nil` at the end of the text.
    public var next: @Sendable (ChapterID) async throws -> ChapterID?

    /// Creates a source.
    public init(
        text: String, chapter: @escaping @Sendable (ChapterID) async throws -> Chapter,
        next: @escaping @Sendable (ChapterID) async throws -> ChapterID?
    ) {
        self.text = text
        self.chapter = chapter
        self.next = next
    }
}

/// A sound that a page should play now.
public struct PlayingSound: Sendable, Hashable {
    /// Distinguishes this command from earlier ones. A report about an earlier one is ignored.
    public var number: Int
    /// The verse and the place in it.
    public var position: PlaybackPosition
    /// The audio.
    public var key: VerseAudioKey
    /// The duration of the verse in milliseconds.
    public var milliseconds: Int
}

/// Owns at most one task. A new one takes the place of the running one, which is cancelled. The owner of the slot calls
/// ``close()`` in the end.
@MainActor
final class ListeningTask {
    private var task: Task<Void, Never>?
    private var ending: [Task<Void, Never>] = []
    private var isClosed = false

    /// Cancels the running task and starts another one.
    func replace(_ work: @escaping @MainActor () async -> Void) {
        guard !isClosed else { return }
        cancel()
        task = Task { @MainActor in await work() }
    }

    /// Cancels the running task.
    func cancel() {
        guard let task else { return }
        task.cancel()
        ending.append(task)
        self.task = nil
        // Cancelled tasks end soon. Those that were cancelled long before are over.
        if ending.count > 16 { ending.removeFirst(ending.count - 16) }
    }

    /// Waits until the running task has ended by itself.
    func finish() async { await task?.value }

    /// Waits until all tasks have ended. Starts none after that.
    func close() async {
        isClosed = true
        cancel()
        for task in ending { await task.value }
        ending = []
    }
}
