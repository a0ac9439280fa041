public import Foundation
public import Hablare
import HablareAudio
import LecternTexts

/// Reads chapters aloud with the engine. A chapter is a job, a verse a segment of it.
///
/// After `kill -9`, the same narration continues: the job's key finds the requests that exist, and audio that is stored
/// is not made again. When a verse's audio is stored, the engine's copy is removed.
public struct ChapterNarrator: Sendable {
    /// The purpose of a narration, which decides its priority.
    public enum Purpose: Sendable, Hashable {
        /// A person is listening. The first missing verse goes before all other work.
        case listening
        /// The chapter is heard next, or downloaded.
        case ahead
    }

    /// The pause before an unreachable provider is tried again: 15 s.
    public static let pause: Duration = .seconds(15)
    /// How many segments are waited for and encoded at a time.
    private static let window = 8

    private let manager: AIRequestManager
    private let providers: ProviderRegistry
    /// The store of the audio.
    public let audio: VerseAudioStore
    private let seams: EngineSeams

    /// Creates a narrator.
    ///
    /// - Parameters:
    ///   - manager: The manager whose engine runs in this process, or in another one on the same store.
    ///   - providers: The providers of that engine.
    ///   - audio: The store of the audio.
    ///   - seams: The clock and the UUIDs.
    public init(
        manager: AIRequestManager, providers: ProviderRegistry, audio: VerseAudioStore,
        seams: EngineSeams = EngineSeams()
    ) {
        self.manager = manager
        self.providers = providers
        self.audio = audio
        self.seams = seams
    }

    /// Returns the limit of a voice's texts in characters.
    public func limit(of voice: NarrationVoice) -> Int {
        providers[voice.provider]?.limits.maximumCharacters ?? ChapterScript.defaultLimit
    }

    /// Narrates a chapter, and reports each segment when it can be heard.
    ///
    /// Cancelling the task ends the wait. Requests that were submitted continue: call ``stop(_:by:)`` to end them.
    ///
    /// - Parameters:
    ///   - script: The chapter's script.
    ///   - voice: The voice.
    ///   - first: The index of the segment to begin with. The segments before it follow at the end.
    ///   - purpose: The purpose. Default: a person is listening.
    ///   - isPinned: Whether the audio is a download, which is never removed from the cache.
    ///   - local: A local voice that reads in the place of a provider that cannot be reached; `nil` to wait for it.
    ///   - receive: Receives the changes, one at a time.
    /// - Returns: The audio of the chapter.
    /// - Throws: `AIServiceError`: `providerNotFound`, a failure that only a person can mend (such as a wrong key), or a
    ///   failure of a store. `CancellationError`.
    @concurrent public func narrate(
        _ script: ChapterScript, by voice: NarrationVoice, from first: Int = 0, for purpose: Purpose = .listening,
        isPinned: Bool = false, replacingBy local: NarrationVoice? = nil,
        receive: @escaping @Sendable (NarrationUpdate) async -> Void = { _ in }
    ) async throws -> ChapterNarration {
        let job = try job(script, voice)
        var narration = ChapterNarration(audio: Array(repeating: nil, count: script.segments.count))
        let start = min(max(0, first), script.segments.count)
        let order = Array(start..<script.segments.count) + Array(0..<start)
        var missing: [Int] = []
        // Segments with the same words share the audio of the first one that is missing.
        var equals: [VerseAudioKey: [Int]] = [:]
        for index in order {
            if let known = try await stored(job, index, isPinned: isPinned) {
                narration.audio[index] = known
                await receive(.ready(index: index, milliseconds: known.milliseconds, key: known.key))
            } else {
                let key = job.audioKey(index)
                if equals[key] == nil { missing.append(index) }
                equals[key, default: []].append(index)
            }
        }
        guard !missing.isEmpty else { return narration }
        let ids = try await submit(missing, of: job, for: purpose)
        let run = NarrationRun(
            job: job, local: local == voice ? nil : local, isPinned: isPinned, purpose: purpose, receive: receive)
        try await withThrowingTaskGroup(of: (Int, Result<ChapterNarration.SegmentAudio, NarrationProblem>).self) {
            group in
            var next = 0
            func add() {
                guard next < missing.count else { return }
                let index = missing[next]
                next += 1
                group.addTask { (index, try await segment(index, ids[index] ?? [], run)) }
            }
            for _ in 0..<Self.window { add() }
            while let (index, result) = try await group.next() {
                for index in equals[job.audioKey(index)] ?? [index] {
                    switch result {
                    case .success(let audio):
                        narration.audio[index] = audio
                        await receive(.ready(index: index, milliseconds: audio.milliseconds, key: audio.key))
                    case .failure(var problem):
                        problem.verse = VerseID(script.chapter, script.segments[index].verse)
                        narration.problems.append(problem)
                        await receive(.failed(index: index, problem))
                    }
                }
                add()
            }
        }
        narration.problems.sort { $0.verse.verse < $1.verse.verse }
        return narration
    }

    /// Cancels the requests of a narration that no one waits for. Verses that are ready stay.
    public func stop(_ script: ChapterScript, by voice: NarrationVoice) async throws {
        _ = try await manager.cancelAll(job: try job(script, voice).key)
    }

    /// Turns the audio of a chapter from a download into cached audio, which may be removed when the cache is full.
    @concurrent public func release(_ script: ChapterScript, by voice: NarrationVoice) async throws {
        let job = try job(script, voice)
        try await BlockingAudioWork.run { [audio] in
            for index in script.segments.indices { try audio.unpin(job.audioKey(index)) }
        }
    }

    /// Returns an estimate of a narration's cost. Verses whose audio is stored cost nothing, and equal verses count once.
    public func cost(
        of script: ChapterScript, by voice: NarrationVoice, prices: PriceTable, at date: Date
    ) async throws -> NarrationCost {
        let (job, provider) = (try job(script, voice), try provider(of: voice))
        return try await BlockingAudioWork.run { [audio] in
            var cost = NarrationCost()
            var counted: Set<VerseAudioKey> = []
            for index in script.segments.indices {
                let key = job.audioKey(index)
                guard counted.insert(key).inserted, try audio.speech(for: key) == nil else { continue }
                for piece in script.segments[index].pieces.indices {
                    let request = job.request(index, piece: piece, id: UUID(), priority: .normal)
                    cost.add(request, at: provider, isPaid: voice.isPaid, prices: prices, on: date)
                }
            }
            return cost
        }
    }

    private func job(_ script: ChapterScript, _ voice: NarrationVoice) throws -> ChapterJob {
        ChapterJob(script, voice: voice, instance: try provider(of: voice).instance)
    }

    private func provider(of voice: NarrationVoice) throws -> any AIServiceProvider {
        guard let provider = providers[voice.provider] else {
            throw AIServiceError(
                .providerNotFound,
                "The voice \(voice.name) is not available: no provider \(voice.provider) is set up. Choose another voice."
            )
        }
        return provider
    }

    private func stored(
        _ job: ChapterJob, _ index: Int, isPinned: Bool
    ) async throws -> ChapterNarration.SegmentAudio? {
        try await BlockingAudioWork.run { [audio] in
            let key = job.audioKey(index)
            if isPinned { guard try audio.pin(key) else { return nil } }
            return try audio.speech(for: key).map { .init(key: key, milliseconds: $0.milliseconds) }
        }
    }

    // MARK: Requests

    /// Submits the pieces of segments, in their order, and returns the requests of each segment.
    private func submit(
        _ missing: [Int], of job: ChapterJob, for purpose: Purpose
    ) async throws -> [Int: [PieceRequest]] {
        var ids: [Int: [PieceRequest]] = [:]
        for run in ChapterJob.runs(missing) {
            let pieces = run.flatMap { index in job.script.segments[index].pieces.indices.map { (index, $0) } }
            let batch = pieces.map { index, piece in
                let priority: Priority =
                    purpose == .ahead ? .low : index == missing.first ? .high : .normal
                return job.request(index, piece: piece, id: seams.makeID(), priority: priority)
            }
            let submitted = try await manager.submit(
                batch, to: job.voice.provider, jobKey: job.key, startingAt: job.positions[run.lowerBound])
            for (((index, _), request), id) in zip(zip(pieces, batch), submitted) {
                ids[index, default: []].append(PieceRequest(id: id, isOld: id != request.id))
            }
        }
        if purpose == .listening, let first = missing.first {
            try await hasten(first, (ids[first] ?? []).map(\.id), of: job)
        }
        return ids
    }

    /// Submits the work of waiting requests once more with a high priority. Equal requests share one call, which takes
    /// the highest priority, so the verse that is heard next does not wait behind a chapter that was read ahead.
    private func hasten(_ index: Int, _ ids: [UUID], of job: ChapterJob) async throws {
        for (piece, id) in ids.enumerated() {
            let snapshot = try await manager.snapshot(for: id)
            guard snapshot.phase == .pending, snapshot.priority > .high else { continue }
            var request = job.request(
                index, piece: piece, id: AIRequest.repairID(of: id, number: Self.hastened), priority: .high)
            request.keepUntilMerged = false
            try await manager.submit(request, to: job.voice.provider)
        }
    }

    private static let hastened = 2_000
    private static let successor = 1_000

    // MARK: Segments

    private func segment(
        _ index: Int, _ requests: [PieceRequest], _ run: NarrationRun
    ) async throws -> Result<ChapterNarration.SegmentAudio, NarrationProblem> {
        let job = run.job
        do {
            var answers: [(id: UUID, source: AudioSource)] = []
            for (piece, request) in requests.enumerated() {
                switch try await answer(index, piece, request, run) {
                case .source(let id, let source): answers.append((id, source))
                case .stored(let audio): return .success(audio)
                }
            }
            let sources = answers.map(\.source)
            let key = job.audioKey(index)
            let milliseconds = try await BlockingAudioWork.run { [audio] in
                let speech = try SpeechConverter.convert(sources)
                try audio.store(speech, for: key, isPinned: run.isPinned)
                return speech.milliseconds
            }
            for (id, _) in answers { try await release(id) }
            return .success(.init(key: key, milliseconds: milliseconds))
        } catch let error as AIServiceError where error.code == .suspended || error.category == .storage {
            throw error
        } catch let error as AIServiceError {
            if let local = run.local, error.isOutage || error.disposition == .needsUser {
                return try await replaced(index, by: local, run)
            }
            if error.disposition == .needsUser { throw error }
            return .failure(problem(index, job, error.message))
        } catch let error as SpeechAudioError {
            return .failure(problem(index, job, error.message))
        }
    }

    private func problem(_ index: Int, _ job: ChapterJob, _ message: String) -> NarrationProblem {
        NarrationProblem(
            verse: .init(job.script.chapter, job.script.segments[index].verse), provider: job.voice.provider,
            message: message)
    }

    /// Lets the local voice read a segment.
    private func replaced(
        _ index: Int, by local: NarrationVoice, _ run: NarrationRun
    ) async throws -> Result<ChapterNarration.SegmentAudio, NarrationProblem> {
        await run.receive(.replaced(index: index, by: local))
        let job = try self.job(run.job.script, local)
        if let known = try await stored(job, index, isPinned: run.isPinned) { return .success(known) }
        let ids = try await submit([index], of: job, for: run.purpose)
        return try await segment(
            index, ids[index] ?? [],
            NarrationRun(job: job, local: nil, isPinned: run.isPinned, purpose: run.purpose, receive: run.receive))
    }

    /// Waits for the audio of a piece. Retries a request that failed or was cancelled before, once, and one whose
    /// provider cannot be reached until it can be.
    private func answer(
        _ index: Int, _ piece: Int, _ request: PieceRequest, _ run: NarrationRun
    ) async throws -> PieceAnswer {
        var (id, isOld) = (request.id, request.isOld)
        var mayRetry = true
        while true {
            if isOld {
                isOld = false
                switch try await manager.status(for: id) {
                case .failed, .cancelled:
                    guard mayRetry else { break }
                    mayRetry = false
                    try await retry(id)
                case .pending, .executing, .completed: break
                }
            }
            switch try await manager.outcome(of: id) {
            case .completed(let response):
                switch response.result {
                case .success(let content):
                    if let source = try source(of: content) { return .source(id, source) }
                    throw AIServiceError(
                        .invalidResponse, "The voice did not answer with audio. Choose another voice.")
                case .failure(let error) where error.code == .responseExpired || error.code == .contentMissing:
                    // Another narration of the same verse may have stored the audio and released the answer.
                    if let known = try await stored(run.job, index, isPinned: run.isPinned) { return .stored(known) }
                    // The audio was stored and has been removed from the cache since. The successor's UUID depends only
                    // on this one, so that a crash does not pay twice.
                    id = AIRequest.repairID(of: id, number: Self.successor)
                    try await manager.submit(
                        run.job.request(
                            index, piece: piece, id: id, priority: run.purpose == .listening ? .high : .low),
                        to: run.job.voice.provider)
                    isOld = true
                case .failure(let error): throw error
                }
            case .failed(let error):
                guard error.isOutage, run.local == nil else { throw error }
                await run.receive(.waiting(index: index, message: error.message))
                try await seams.clock.sleep(for: Self.pause)
                try await retry(id)
            case .cancelled:
                throw AIServiceError(.cancelled, "The narration was stopped. Play the chapter to continue.")
            case .pending, .executing: continue  // unreachable: an outcome is final
            }
        }
    }

    private func retry(_ id: UUID) async throws {
        do {
            try await manager.retry(id)
        } catch let error as AIServiceError where error.code == .invalidState {
            // Another process has retried it.
        }
    }

    private func source(of content: ResponseContent) throws -> AudioSource? {
        guard case .audio(let body, _) = content else { return nil }
        return try body.fileURL.map(AudioSource.file) ?? .data(try body.read())
    }

    /// Removes the engine's copy of an answer whose audio is stored.
    private func release(_ id: UUID) async throws {
        do {
            try await manager.merged(id)
            try await manager.evict(id)
        } catch let error as AIServiceError where error.code == .invalidState || error.code == .unknownRequest {
            // Another narration of the same verse has removed it.
        }
    }
}

/// The request for a piece of a segment.
private struct PieceRequest {
    let id: UUID
    /// Whether an earlier narration submitted it. Only then its failure is retried.
    let isOld: Bool
}

/// The audio of a piece of a segment.
private enum PieceAnswer {
    /// The answer of a request.
    case source(UUID, AudioSource)
    /// The whole segment, which another narration has stored.
    case stored(ChapterNarration.SegmentAudio)
}

/// The options of one narration.
private struct NarrationRun: Sendable {
    let job: ChapterJob
    let local: NarrationVoice?
    let isPinned: Bool
    let purpose: ChapterNarrator.Purpose
    let receive: @Sendable (NarrationUpdate) async -> Void
}

extension NarrationProblem: Error {}

extension AIServiceError {
    /// Whether the provider cannot be reached or is overloaded, so that the same call may succeed later.
    var isOutage: Bool {
        category == .network || code == .overloaded || code == .rateLimited || code == .timeout
    }
}
