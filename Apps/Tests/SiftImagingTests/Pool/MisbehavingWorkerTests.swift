import CSiftImaging
import Foundation
import SiftCore
import Testing

@testable import SiftImaging

/// Workers that crash, hang or lie (integration): each costs its own photo and no other.
struct MisbehavingWorkerTests {
    private func outcome(_ pool: ImagingPool, _ word: String) async throws -> Result<Int, PhotoProcessingError> {
        let photo = try Fixture.photo(Array(word.utf8))
        do throws(PhotoProcessingError) {
            return .success(Int(try await pool.rendition(of: photo, .card).bytes.last ?? 255))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: ["crash", "hang", "nonsense", "huge frame", "other job", "too many", "leave"])
    func theOthersGoOn(word: String) async throws {
        // Only the job that hangs waits so long; a busy machine serves the others in much less.
        let limits = ImagingLimits(timeout: word == "hang" ? .seconds(3) : .seconds(60))
        try await Fixture.withPool(Fixture.pool("puppet", workers: 2, limits: limits)) { pool in
            try await withThrowingTaskGroup(of: (Bool, Result<Int, PhotoProcessingError>).self) { group in
                for index in 0..<12 {
                    let isBad = index == 4
                    group.addTask { (isBad, try await outcome(pool, isBad ? word : "fine")) }
                }
                for try await (isBad, outcome) in group {
                    switch outcome {
                    case .success: #expect(!isBad || word == "too many")
                    case .failure(let error):
                        #expect(isBad, "\(error)")
                        #expect(error.code == .processingFailed)
                    }
                }
            }
        }
    }

    @Test func aPhotoIsNotBlamedForTheWorkerBeforeIt() async throws {
        try await Fixture.withPool(Fixture.pool("puppet", workers: 1)) { pool in
            var served = [try await outcome(pool, "fine")]
            // The used worker crashes; the fresh one serves it as its first job.
            served.append(try await outcome(pool, "crash if used"))
            served.append(try await outcome(pool, "fine"))
            #expect(served == [.success(0), .success(0), .success(1)])
        }
    }

    @Test func aWorkerIsRecycled() async throws {
        try await Fixture.withPool(Fixture.pool("puppet", workers: 1, jobsPerWorker: 2)) { pool in
            var served: [Result<Int, PhotoProcessingError>] = []
            for _ in 0..<5 { served.append(try await outcome(pool, "fine")) }
            #expect(served == [.success(0), .success(1), .success(0), .success(1), .success(0)])
        }
    }

    @Test func aMissingProgramFailsEachCall() async throws {
        let pool = ImagingPool(.init(command: WorkerCommand(executable: "/nonexistent", arguments: []), workers: 1))
        try await Fixture.withPool(pool) { pool in
            for _ in 0..<3 {
                guard case .failure(let error) = try await outcome(pool, "fine") else {
                    Issue.record("there is no program")
                    return
                }
                #expect(error.isRetryable)
            }
        }
    }

    /// A worker whose limit leaves no memory for a thread must not wait for ever.
    @Test func aWorkerWithoutMemoryFailsAtOnce() async throws {
        let limits = ImagingLimits(memory: 1 << 20, timeout: .seconds(600), startTimeout: .seconds(600))
        try await Fixture.withPool(Fixture.pool(workers: 1, limits: limits)) { pool in
            let photo = try Fixture.photo("plain.jpg")
            await #expect(throws: PhotoProcessingError.self) { try await pool.rendition(of: photo, .full) }
        }
    }

    /// Starts as many workers as there are photos.
    @Test func everyNewWorkerServesItsPhoto() async throws {
        let count = ProcessInfo.processInfo.environment["SIFT_WORKER_STARTS"].flatMap { Int($0) } ?? 40
        try await Fixture.withPool(Fixture.pool(workers: 2, jobsPerWorker: 1)) { pool in
            try await withThrowingTaskGroup(of: Int.self) { group in
                let photo = try Fixture.photo("plain.jpg")
                for _ in 0..<count { group.addTask { try await pool.rendition(of: photo, .card).width } }
                for try await width in group { #expect(width == 96) }
            }
        }
    }

    @Test(arguments: ["silent", "unknown"]) func aProgramThatIsNoWorkerFailsEachCall(mode: String) async throws {
        let limits = ImagingLimits(startTimeout: .milliseconds(300))
        try await Fixture.withPool(Fixture.pool(mode, workers: 1, limits: limits)) { pool in
            guard case .failure(let error) = try await outcome(pool, "fine") else {
                Issue.record("the program is no worker")
                return
            }
            #expect(error.code == .processingFailed)
        }
    }

    @Test(arguments: ["before its limits", "idle", "with a job"]) func aWorkerEndsWithItsParentsSocket(state: String)
        throws
    {
        var sockets: [Int32] = [-1, -1]
        #expect(sift_socket_pair(&sockets) == 0)
        let process = try start("serve", socket: sockets[1])
        close(sockets[1])
        var channel = Channel(input: sockets[0], output: sockets[0], maximumFrame: 100)
        if state != "before its limits" {
            try channel.sender.send(ImagingLimits().encoded)
            #expect(try channel.receive(until: nil).isEmpty)
        }
        if state == "with a job" {
            let photo = try Fixture.photo("plain.jpg")
            let request = WorkerMessage.run(ImagingRequest(job: 1, kind: .rendition(edge: 0)))
            try channel.sender.send(request.encoded, descriptor: photo.descriptor)
        }
        close(sockets[0])
        // Blocks until the process is gone.
        #expect(wait(process) == 0)
    }

    @Test func aLimitedProcessOpensAndWritesNothingAndGetsNoMemory() throws {
        var sockets: [Int32] = [-1, -1]
        #expect(sift_socket_pair(&sockets) == 0)
        defer { for socket in sockets { close(socket) } }
        let path = Fixture.temporaryPath()
        defer { unlink(path) }
        #expect(wait(try start("limits", path, socket: sockets[1])) == 0)
    }

    private func start(_ arguments: String..., socket: Int32) throws -> Int32 {
        var pointers = ([Fixture.testWorker] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var process: Int32 = 0
        #expect(sift_spawn(Fixture.testWorker, &pointers, &environment, socket, false, &process) == 0)
        return process
    }

    /// Returns the exit status, or -1 where the process did not exit by itself.
    private func wait(_ process: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }
}
