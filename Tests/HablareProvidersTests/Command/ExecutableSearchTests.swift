#if os(macOS) || os(Linux)
import Testing

@testable import HablareProviders

@Suite struct ExecutableSearchTests {
    @Test func aNameIsLookedUpInTheDirectoriesInOrder() {
        #expect(ExecutableSearch("sh", in: "/no/such:/bin:/usr/bin") == .found("/bin/sh"))
        #expect(ExecutableSearch("/bin/sh", in: nil) == .found("/bin/sh"))
    }

    @Test(
        "Empty and relative directories are never searched",
        arguments: [
            String(repeating: "../", count: 40) + "bin", "", ":", ".",
        ])
    func relative(searchPath: String) {
        #expect(ExecutableSearch("sh", in: searchPath) == .missing)
    }

    @Test func whatCannotBeRunIsToldFromWhatIsNotThere() {
        #expect(ExecutableSearch("passwd", in: "/no/such:/etc") == .notExecutable("/etc/passwd"))
        #expect(ExecutableSearch("/etc", in: nil) == .notExecutable("/etc"))
        #expect(ExecutableSearch("hablare-no-such-program", in: "/bin") == .missing)
        #expect(ExecutableSearch("sh", in: nil) == .missing)
    }
}
#endif
