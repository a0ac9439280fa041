import SiftCore
import Testing

@testable import SiftImaging

/// Jobs that are cancelled while a worker runs them (integration).
struct InterruptionTests {
    private func send(_ message: WorkerMessage, _ photo: OpenPhoto?, _ worker: WorkerProcess) throws {
        try worker.channel.sender.send(message.encoded, descriptor: photo?.descriptor)
    }

    private func answer(_ worker: WorkerProcess) throws -> ImagingAnswer {
        try ImagingAnswer(decoding: try worker.channel.receive(until: nil))
    }

    @Test func aDecodeEndsAndTheWorkerGoesOn() throws {
        // Large enough that the interruption, which is sent at once, arrives long before the decode is done.
        let pixels = try #require(
            Decoder.pixels([UInt8](repeating: 100, count: 6_000 * 4_000 * 3), width: 6_000, height: 4_000))
        #expect(Fixture.decoder)
        let large = try Fixture.photo(try Decoder.jpeg(pixels, quality: 50))
        let command = WorkerCommand(executable: Fixture.testWorker, arguments: ["serve"])
        let worker = try WorkerProcess(command, limits: ImagingLimits())
        defer { worker.end() }
        try send(.run(ImagingRequest(job: 1, kind: .rendition(edge: 0))), large, worker)
        try send(.interrupt(1), nil, worker)
        guard case .failure(.interrupted, _) = try answer(worker).content else {
            Issue.record("the decode was not interrupted")
            return
        }
        let small = try Fixture.photo("plain.jpg")
        // An interruption that comes too late is ignored.
        try send(.interrupt(1), nil, worker)
        try send(.run(ImagingRequest(job: 2, kind: .rendition(edge: 512))), small, worker)
        guard case .rendition(let picture) = try answer(worker).content else {
            Issue.record("the next job failed")
            return
        }
        #expect(picture.width == 96)
    }

    /// The kernel may deliver a descriptor together with the message before its own.
    @Test func aDescriptorIsTakenByItsOwnMessage() throws {
        let command = WorkerCommand(executable: Fixture.testWorker, arguments: ["serve"])
        let worker = try WorkerProcess(command, limits: ImagingLimits())
        defer { worker.end() }
        let photo = try Fixture.photo("plain.jpg")
        for job in 1...40 as ClosedRange<UInt64> {
            for _ in 0..<20 { try send(.interrupt(job), nil, worker) }
            try send(.run(ImagingRequest(job: job, kind: .header)), photo, worker)
            guard case .header = try answer(worker).content else {
                Issue.record("the header of job \(job) was not read")
                return
            }
        }
    }

    @Test func messagesAreReadAsTheyWereWritten() throws {
        let messages: [WorkerMessage] = [.run(ImagingRequest(job: 3, kind: .header)), .interrupt(.max)]
        for message in messages { #expect(try WorkerMessage(decoding: message.encoded) == message) }
        for bytes in [[], [3], [2, 1], [1]] as [[UInt8]] {
            #expect(throws: WireViolation.self) { try WorkerMessage(decoding: bytes) }
        }
    }
}
