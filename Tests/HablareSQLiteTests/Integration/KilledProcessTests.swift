#if os(Linux)
import Foundation
import Hablare
import HablareTestFiles
import Testing

@testable import HablareSQLite

/// The locks of a real process that is killed.
@Suite struct KilledProcessTests {
    @Test("A process that holds its lock counts as alive until it is killed", .timeLimit(.minutes(5)))
    func killed() throws {
        let folder = try TemporaryFolder()
        let locks = try FileLocks(directory: folder.url)
        let file = folder.url.appendingPathComponent("other.lock")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Without a fork, the killed process is the one that holds the lock.
        process.arguments = ["flock", "--no-fork", file.path, "sh", "-c", "echo held; exec sleep 600"]
        process.standardOutput = output
        try process.run()
        #expect(try output.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8))
        #expect(try !locks.isFree("other.lock"))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(try locks.isFree("other.lock"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
#endif
