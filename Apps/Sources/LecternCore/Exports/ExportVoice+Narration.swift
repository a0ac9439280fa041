import HablarePersistence
import LecternTexts

extension ExportVoice {
    /// Makes the audio of a text or a part of it, so that it plays at once, also without a network.
    ///
    /// The work is durable: after `kill -9`, the same call continues with the verses that are missing. Verses that a
    /// voice could not read are tried again.
    ///
    /// - Parameters:
    ///   - export: The text and the part.
    ///   - isPinned: Whether the audio is kept until it is released, instead of only in the cache. Default: it is.
    ///   - progress: Receives the progress after each verse.
    /// - Returns: The number of chapters, the duration of the audio, and the verses that could not be read.
    /// - Throws: ``ExportError``, the errors of ``ChapterNarrator`` and of the database, and `CancellationError`.
    @concurrent public func prepare(
        _ export: TextExport, isPinned: Bool = true,
        progress: @escaping @Sendable (NarrationProgress) async -> Void = { _ in }
    ) async throws -> ExportReport {
        let chapters = try await export.chapters().map(\.id)
        let tally = NarrationTally(try await export.verseCounts(chapters), progress)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var rest = chapters[...]
            func start() {
                guard let id = rest.popFirst() else { return }
                group.addTask {
                    let script = script(of: try await export.chapter(id), text: export.text.id)
                    await tally.began(id, script.segments.count)
                    let narration = try await narrator.narrate(
                        script, by: voice, for: .ahead, isPinned: isPinned
                    ) { await tally.received($0) }
                    await tally.ended(narration)
                }
            }
            for _ in 0..<Self.window { start() }
            while try await group.next() != nil { start() }
        }
        return await tally.report
    }

    /// Lets the audio of a text or a part of it be removed from the cache again, when the cache is full.
    ///
    /// - Throws: ``ExportError``, the errors of the audio store and of the database, and `CancellationError`.
    @concurrent public func release(_ export: TextExport) async throws {
        for (_, id) in try await export.chapters() {
            try Task.checkCancellation()
            try await narrator.release(script(of: try await export.chapter(id), text: export.text.id), by: voice)
        }
    }
}

/// Counts the verses of several chapters that are narrated at a time.
private actor NarrationTally {
    private(set) var report = ExportReport()
    private var progress = NarrationProgress()
    private let verseCounts: [ChapterID: Int]
    private let receive: @Sendable (NarrationProgress) async -> Void

    init(_ verseCounts: [ChapterID: Int], _ receive: @escaping @Sendable (NarrationProgress) async -> Void) {
        self.verseCounts = verseCounts
        self.receive = receive
        progress.allChapters = verseCounts.count
        progress.allVerses = verseCounts.values.reduce(0, +)
    }

    /// A verse without words has no audio, so it does not count.
    func began(_ chapter: ChapterID, _ segments: Int) {
        progress.allVerses += segments - (verseCounts[chapter] ?? 0)
    }

    func received(_ update: NarrationUpdate) async {
        switch update {
        case .ready(_, let milliseconds, _):
            progress.verses += 1
            progress.milliseconds += milliseconds
            progress.waiting = nil
        case .failed:
            progress.verses += 1
            progress.failed += 1
        case .waiting(_, let message): progress.waiting = message
        case .replaced: break
        }
        await receive(progress)
    }

    func ended(_ narration: ChapterNarration) async {
        progress.chapters += 1
        report.chapters += 1
        report.problems += narration.problems
        report.milliseconds += narration.audio.reduce(0) { $0 + ($1?.milliseconds ?? 0) }
        await receive(progress)
    }
}
