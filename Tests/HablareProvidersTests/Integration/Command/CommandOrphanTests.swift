#if os(macOS) || os(Linux)
import Foundation
import Hablare
import Testing

@testable import HablareProviders

/// Programs end when this process is killed. The helper only sees its socket close, for any reason; here the last link
/// is released.
@Suite(.timeLimit(.minutes(5))) struct CommandOrphanTests {
    private func warden(shell: String = "/bin/sh", setpriv: String? = nil) -> ProcessWarden {
        ProcessWarden(shell: shell, setpriv: setpriv)
    }

    private func isLinked(_ link: WardenLink?) -> Bool { link != nil }

    /// Runs a script as the leader of a session, without protection.
    private func run(_ program: TestProgram, _ arguments: [String] = []) async -> CommandOutcome {
        let invocation = CommandInvocation(
            executable: "/bin/sh", arguments: ["-c", program.script, "sh", program.directory.path] + arguments,
            input: [], maximumOutputBytes: 1 << 20)
        return await CommandRun(
            invocation: invocation, protection: OrphanProtection(), grace: .milliseconds(250), clock: ContinuousClock()
        ).outcome()
    }

    @Test func theHelperEndsGroupsThatBeganAndDidNotEndAndRemovesTheFiles() async throws {
        let program = try TestProgram(
            """
            trap '' TERM HUP
            sh -c 'trap "" TERM HUP; echo $$ > "$0/grandchild"; exec sleep 100' "$1" &
            echo $$ > $1/pid
            wait
            """)
        let ended = try TestProgram("echo $$ > $1/pid; exec sleep 100")
        var link: WardenLink?
        link = await warden().protection().link
        let directory = try #require(link?.directory.path)
        try await withThrowingTaskGroup(of: CommandOutcome.self) { group in
            group.addTask { await run(ended) }
            let other = try await ended.pid("pid")
            group.addTask { await run(program) }
            let leader = try await program.pid("pid")
            let grandchild = try await program.pid("grandchild")
            link?.groupBegan(leader)
            link?.groupBegan(other)
            link?.groupEnded(other)
            link = nil
            #expect(try await group.next()?.end == .signalled(SIGKILL))
            try await eventually { !isRunning(grandchild) }
            try await eventually { !FileManager.default.fileExists(atPath: directory) }
            #expect(isRunning(other))
            group.cancelAll()
        }
    }

    @Test func oneHelperServesAllWhoAskAtOnce() async throws {
        let warden = warden()
        let directories = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { await warden.protection().link?.directory.path } }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(directories.count == 1)
        #expect(directories.first != .some(nil))
    }

    @Test func aHelperThatWasKilledIsReplaced() async throws {
        let warden = warden()
        let first = try #require(await warden.protection().link)
        // The socket closes with the helper.
        try await killHelper(of: first)
        try await eventually {
            first.groupBegan(2_000_000_000)
            return !first.isOpen
        }
        let second = try #require(await warden.protection().link)
        #expect(second !== first)
        #expect(second.isOpen)
    }

    private func killHelper(of link: WardenLink) async throws {
        let killer = try TestProgram(
            "kill -9 $(ps -eo pid,args | grep '[h]ablare-warden '\"$2\"'$' | awk '{print $1}')")
        #expect(await run(killer, [link.directory.path]).end == .exited(0))
        try FileManager.default.removeItem(atPath: link.directory.path)
    }

    @Test func aCancelledStartIsTriedAgain() async throws {
        let slow = try TestProgram("")
        let shell = slow.url("slow-shell").path
        // The first start hangs until it is cancelled.
        let started = slow.url("started").path
        let hang = "[ $(wc -l < \(started)) -gt 1 ] || exec sleep 1000"
        try "#!/bin/sh\necho $$ >> \(started)\n\(hang)\nexec /bin/sh \"$@\"\n"
            .write(toFile: shell, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: shell)
        try await Task.sleep(for: .milliseconds(50))  // a program started meanwhile may have it open for writing
        let warden = warden(shell: shell)
        let first = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { isLinked(await warden.protection().link) }
            _ = try await slow.pid("started")
            group.cancelAll()
            return try await group.next()
        }
        #expect(first == false)
        #expect(isLinked(await warden.protection().link))
    }

    @Test func withoutAShellTheKernelEndsTheProgramThroughSetpriv() async throws {
        let setpriv = ExecutableSearch("setpriv", in: "/usr/bin:/bin").path
        guard let setpriv else { return }
        let supervisor = CommandSupervisor(
            maximumProcesses: 4, grace: .milliseconds(250), clock: ContinuousClock(),
            warden: warden(shell: "/no/such/shell", setpriv: setpriv))
        let program = try TestProgram("tr '\\0' ' ' < /proc/$$/status | grep -c . > /dev/null; echo ok")
        let provider = try CommandProvider(program.template(), supervisor: supervisor)
        #expect(try await provider.call("").text == "ok\n")
        let diagnosis = await provider.diagnose()
        #expect(diagnosis.protection == .program)
        #expect(!diagnosis.isHealthy)
        #expect(diagnosis.advice.count == 1)
        let protection = await supervisor.protection()
        let invocation = CommandInvocation(executable: "/p", arguments: ["a"], input: [], maximumOutputBytes: 1)
        #expect(protection.commandLine(invocation).arguments == ["--pdeathsig", "KILL", "--", "/p", "a"])
    }

    @Test("Programs run without any protection, and the diagnosis reports it", arguments: [nil, "/bin/false"])
    func unprotected(setpriv: String?) async throws {
        let supervisor = CommandSupervisor(
            maximumProcesses: 4, grace: .milliseconds(250), clock: ContinuousClock(),
            warden: warden(shell: "/bin/false", setpriv: setpriv))
        let program = try TestProgram("cat > \"$1\"")
        let template = program.template(["{output}"], output: .file(extension: "txt"))
        let provider = try CommandProvider(template, supervisor: supervisor)
        #expect(try await provider.call("hello").text == "hello")
        #expect(await provider.diagnose().protection == .none)
    }

    @Test("A helper that fails to start leaves no directory", arguments: ["/no/such/shell", "/bin/false"])
    func nothingLeft(shell: String) async throws {
        // Other tests create such directories at the same time, and keep them longer than this takes.
        let before = try directories()
        for _ in 0..<20 { _ = await warden(shell: shell).protection() }
        try await eventually { try directories().subtracting(before).count < 20 }
    }

    private func directories() throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: PrivateDirectory.temporary)
        return Set(names.filter { $0.hasPrefix("hablare-") })
    }

    @Test func whereThereIsAShellAllIsWell() async throws {
        let diagnosis = await (try CommandProvider(TestProgram("cat").template())).diagnose()
        #expect(diagnosis.isHealthy)
        #expect(diagnosis.protection == .group)
        #expect(diagnosis.advice.isEmpty)
        #expect(diagnosis.executable == "/bin/sh")
    }
}
#endif
