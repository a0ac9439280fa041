import Dispatch
import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import Testing

@Suite struct SimultaneousOpeningTests {
    @Test func `Concurrent openings of an empty folder all succeed`() throws {
        for _ in 0..<10 {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hablare opening \(UUID())")
            defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
            let failures = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    try SQLiteStore(directory: folder).close()
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
        }
    }
}
