#if os(Linux)
import Foundation
import Hablare
import HablareProviders
import Testing

/// Serialized, in a single test: it counts the descriptors and children of the whole test process. It must wait until
/// the other tests' counts are back to their start.
@Suite(.serialized) struct CommandResourceTests {
    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test(.timeLimit(.minutes(5))) func twoHundredRunsAtOnceLeaveNothingBehind() async throws {
        let program = try TestProgram("cat; echo words >&2; sleep 0.1 &")
        let marker = UUID().uuidString
        let supervisor = CommandSupervisor()
        let provider = try CommandProvider(
            program.template(
                ["{mark}"],
                placeholders: [
                    CommandPlaceholder("mark", default: marker)
                ]), supervisor: supervisor)
        _ = await provider.call("warm up")
        let before = try descriptors()
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { try await provider.call("prompt \(number)").text == "prompt \(number)" }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 200)
        // Other tests run beside this one and use descriptors, but never 200 more for ten seconds.
        try await eventually { try descriptors() <= before + 20 }
        try await eventually { try !processes().contains { $0.contains(marker) } }
    }

    private func processes() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap { pid in
            FileManager.default.contents(atPath: "/proc/\(pid)/cmdline").map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
#endif
