import Foundation
import Hablare
import HablareSupport

/// The content store of one process. It uses the content files on the shared disk.
final class SimulatedProcessContent: ContentStore {
    private let process: SimulatedProcess
    private let disk: SimulatedDisk
    private let files: SimulatedContent
    private let recorder: Recorder
    private let scheduler: SimulationScheduler
    private let plan: SimulationPlan.Content
    /// The maximum time that a write waits for the disk, in nanoseconds.
    private let delay: Int64

    /// Creates a content store. Returns `nil` if the plan has no content files.
    init?(
        process: SimulatedProcess, disk: SimulatedDisk, recorder: Recorder, scheduler: SimulationScheduler,
        plan: SimulationPlan
    ) {
        guard let files = disk.content, let content = plan.content else { return nil }
        self.process = process
        self.disk = disk
        self.files = files
        self.recorder = recorder
        self.scheduler = scheduler
        self.plan = content
        delay = plan.commitDelay
    }

    func threshold(for type: ContentType) -> Int { plan.threshold }

    func put(_ data: Data) async throws -> ContentReference {
        try await waitForDisk()
        return try disk.write(data, by: process) { self.files.write(data, at: self.process.date) }
    }

    func makeWriter() -> any ContentWriter { Writer(content: self) }

    func read(_ reference: ContentReference) throws -> Data {
        // Only the engine reads prompts. Answers are read to inspect the history, so these reads do not fail.
        if disk.isPrompt(reference) { try process.mayRead(recorder) }
        return try files.read(reference)
    }

    func has(_ reference: ContentReference) -> Bool { files.has(reference) }
    func location(of reference: ContentReference) -> URL? { nil }

    /// Waits for the disk. Meanwhile other tasks continue. The wait cannot be cancelled.
    private func waitForDisk() async throws {
        let wait = delay > 0 ? scheduler.draw(below: delay) : 0
        do {
            if wait > 0 {
                try await scheduler.sleep(until: scheduler.now + wait, lane: process.lane, isDeaf: true)
            }
        } catch {
            throw SimulatedDisk.dead
        }
    }

    /// Writes a content file piece by piece. If its process dies, the unfinished file remains.
    private final class Writer: ContentWriter {
        private let content: SimulatedProcessContent
        private let number = Confined<Int?>(nil)

        init(content: SimulatedProcessContent) {
            self.content = content
        }

        func write(_ piece: Data) async throws {
            try await content.waitForDisk()
            try content.disk.write(piece, by: content.process) {
                let date = content.process.date
                let file = number.withLock { number in
                    let file = number ?? content.files.begin(at: date)
                    number = file
                    return file
                }
                content.files.add(piece, to: file, at: date)
            }
        }

        func finish() async throws -> ContentReference {
            try await content.waitForDisk()
            return try content.disk.write(Data(), by: content.process) {
                guard let bytes = number.withLock({ $0 }).flatMap(content.files.take) else {
                    throw AIServiceError(.storageFailed, "A content file is gone before its end.")
                }
                return content.files.write(bytes, at: content.process.date)
            }
        }

        func abandon() async {
            guard !content.process.isCutOff else { return }
            _ = number.withLock { $0 }.flatMap(content.files.take)
        }
    }
}
