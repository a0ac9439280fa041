import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// Two processes on one store, and what each reports about the other.
@Suite(.timeLimit(.minutes(5))) struct TogetherTests {
    /// A store that signals when all unfinished requests were read.
    private struct LookedStore: ForwardingStore {
        let base: any RequestStore
        let looked: Gate

        func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
            let found = try base.snapshots(filter)
            if filter.phases == [.pending, .executing], filter.isHeld == false { looked.open() }
            return found
        }
    }

    private func writer(_ gate: Gate) -> ScriptedProvider {
        ScriptedProvider(id: "writer", limits: ProviderLimits(concurrency: 1, breaker: .never)) { call in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText.uppercased()))))
        }
    }

    @Test func `Each of two work processes reports its own completed requests`() async throws {
        let folder = try TemporaryFolder(.disk)
        let gates = [Gate(), Gate()]
        let looks = [Gate(), Gate()]
        let stages = try zip(gates, looks).map { gate, look in
            try Stage(
                provider: writer(gate), folder: folder, wrapStore: { LookedStore(base: $0, looked: look) })
        }
        for number in 1...30 {
            let words = ["generate", "--provider", "writer", "--detach", "--quiet", "number \(number)"]
            #expect(await stages[0].run(words) == .success)
        }
        stages[0].clearScreen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stage in stages { group.addTask { #expect(await stage.run("work") == .success) } }
            // No request ends before both processes know all requests and have some of them.
            for (gate, look) in zip(gates, looks) {
                try await soon { await gate.arrivals(reach: 1) }
                try await soon { try await look.pass() }
            }
            for gate in gates { gate.open() }
            try await group.waitForAll()
        }
        let calls = stages.map(\.provider.record.calls.count)
        #expect(calls.reduce(0, +) == 30)
        for (stage, own) in zip(stages, calls) {
            #expect(stage.output == "30 requests completed (\(own) here, \(30 - own) by other processes)\n")
        }
    }

    @Test(arguments: [false, true])
    func `work counts requests that are submitted and end while another runs`(fails: Bool) async throws {
        let folder = try TemporaryFolder(.disk)
        let (gate, look) = (Gate(), Gate())
        let working = try Stage(
            provider: ScriptedProvider(id: "writer", limits: ProviderLimits(concurrency: 2, breaker: .never)) { call in
                switch call.request.prompt.plainText {
                case "takes long":
                    do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
                case "too much": return .failure(AIServiceError(.invalidRequest, "That is too much."))
                default: break
                }
                return .success(ProviderAnswer(.text(Body("an answer"))))
            }, folder: folder, wrapStore: { LookedStore(base: $0, looked: look) })
        let other = try Stage(provider: writer(Gate()), folder: folder)
        func submit(_ prompt: String) async {
            let words = ["generate", "--provider", "writer", "--detach", "--quiet", prompt]
            #expect(await other.run(words) == .success)
        }
        await submit("takes long")
        async let status = working.run("work")
        // All waiting requests have been read, and there is no other read before the first one ends.
        try await soon { try await look.pass() }
        try await soon { await gate.arrivals(reach: 1) }
        await submit(fails ? "too much" : "takes no time")
        let store = try other.store()
        try await waitUntil {
            try store.snapshots(SnapshotFilter(phases: [.completed, .failed])).count == 1
        }
        gate.open()
        #expect(await status == (fails ? .incomplete : .success))
        #expect(
            working.output
                == (fails
                    ? "1 request completed, 1 failed (hablare ps --state failed)\n" : "2 requests completed\n"))
    }

    @Test(arguments: [(true, false, true), (true, true, false), (false, false, false)])
    func `A command that joins another process's call says so on a terminal`(
        isTerminal: Bool, isQuiet: Bool, isTold: Bool
    ) async throws {
        let folder = try TemporaryFolder(.disk)
        let gate = Gate()
        let first = try Stage(provider: writer(gate), folder: folder)
        let second = try Stage(provider: writer(gate), folder: folder, isTerminal: isTerminal)
        let words = ["generate", "--provider", "writer", "--no-stream", "the same"]
        async let made = first.run(words)
        try await soon { await gate.arrivals(reach: 1) }
        let id = try #require(try first.store().snapshots(SnapshotFilter()).first?.id)
        async let joined = second.run(words + (isQuiet ? ["--quiet"] : []))
        try await waitUntil { try first.store().snapshots(SnapshotFilter()).count == 2 }
        if isTold { try await waitUntil { !second.errors.isEmpty } }
        gate.open()
        #expect(await made == .success)
        #expect(await joined == .success)
        #expect(second.output == "THE SAME")
        #expect(second.provider.record.calls.isEmpty)
        let told = "An identical request, \(id.text), is already running; waiting for its answer.\n"
        #expect(second.errors == (isTold ? told : ""))
    }

    @Test func `A waiting request is not reported as running`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: writer(gate), isTerminal: true)
        let words = ["generate", "--provider", "writer", "--no-stream", "asked for before"]
        #expect(await stage.run(words + ["--detach", "--quiet"]) == .success)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        stage.clearScreen()
        async let status = stage.run(words)
        try await waitUntil { !stage.errors.isEmpty }
        gate.open()
        #expect(await status == .success)
        #expect(stage.output == "ASKED FOR BEFORE")
        #expect(stage.errors == "Joined the identical request \(id.text); both get one answer.\n")
    }

    /// A store whose running requests cannot be listed.
    private struct UnlistedStore: ForwardingStore {
        let base: any RequestStore
        let asked: Gate

        func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
            guard filter.phases != [.executing] else {
                asked.open()
                throw AIServiceError(.storageBusy, "Another process keeps it locked.")
            }
            return try base.snapshots(filter)
        }
    }

    @Test func `The answer arrives even if the running requests cannot be listed`() async throws {
        let folder = try TemporaryFolder(.disk)
        let (gate, asked) = (Gate(), Gate())
        let first = try Stage(provider: writer(gate), folder: folder)
        let second = try Stage(
            provider: writer(gate), folder: folder, isTerminal: true,
            wrapStore: { UnlistedStore(base: $0, asked: asked) })
        let words = ["generate", "--provider", "writer", "--no-stream", "the same, unread"]
        async let made = first.run(words)
        try await soon { await gate.arrivals(reach: 1) }
        async let joined = second.run(words)
        try await soon { try await asked.pass() }
        gate.open()
        #expect(await made == .success)
        #expect(await joined == .success)
        #expect(second.output == "THE SAME, UNREAD")
        #expect(second.errors.isEmpty)
    }

    @Test func `--verbose logs a request's events without its text`() async throws {
        let tries = Locked(0)
        let stage = try Stage(
            provider: ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { call in
                guard
                    tries.withLock({ tries in
                        tries += 1; return tries
                    }) > 1
                else {
                    return .failure(
                        AIServiceError(
                            .providerFailed, "It stumbled.", disposition: .retry(after: .zero), cause: "wise words"))
                }
                return .success(ProviderAnswer(.text(Body("hidden answer"))))
            })
        let words = ["--provider", "writer", "--verbose", "hidden prompt"]
        #expect(await stage.run(["generate"] + words) == .success)
        let lines = stage.errors.split(separator: "\n")
        let told = [
            "Submitted", "Sending", "Failed, to be retried", "Claimed", "Sending", "Completed",
        ]
        var rest = lines[...]
        for word in told {
            let place = rest.firstIndex { $0.hasSuffix("] \(word)") }
            #expect(place != nil, "\(word) is not told after the others: \(stage.errors)")
            rest = rest[((place ?? rest.endIndex - 1) + 1)...]
        }
        let failed = try #require(lines.first { $0.hasSuffix("to be retried") })
        #expect(failed.contains("error=It stumbled. ") && failed.contains("until=") && failed.contains("attempt=1 "))
        #expect(failed.contains("cause=wise words "))
        #expect(!stage.errors.contains("hidden"))
        #expect(
            await stage.run("generate", "--provider", "writer", "--cache", "use", "--verbose", "hidden prompt")
                == .success)
        #expect(stage.errors.contains("] Answered from the cache\n"))
    }
}
