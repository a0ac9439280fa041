import ArgumentParser
import Foundation

@main
struct HablareBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hablare-bench", abstract: "Measures the engine beside what it is compared with.",
        subcommands: [Measure.self, Soaking.self, Recover.self, Hold.self, Stream.self], defaultSubcommand: Measure.self
    )
}

struct Measure: AsyncParsableCommand {
    static let all = [
        "lifecycle", "pickup", "recovery", "memory", "flight", "cache-hit", "stream", "stream-memory", "prune",
        "coalesce", "merge", "observe", "actions", "sse", "transport", "embed", "narrate",
    ]

    @Option(
        help:
            "Only this one: ceiling, lifecycle, pickup, recovery, memory, flight, cache-hit, stream, stream-memory, prune, coalesce, merge, observe, actions, sse, transport, embed or narrate."
    )
    var only: String?
    @Option(help: "Where the figures go, as JSON.")
    var output: String?
    @Option(help: "How often each is measured; the median counts.")
    var rounds = 5
    @Option(help: "For lifecycle and transport: only so many callers.")
    var width: Int?
    @Option(
        help:
            "Only this way: for lifecycle ceiling, sqlite, full or memory, for transport client, provider, engine or durable, which is beside plain."
    )
    var way: String?
    @Option(help: "For embed: the number of lines.")
    var lines = 100_000
    @Option(help: "The program for `narrate`.")
    var hablare = ".build/release/hablare"

    func validate() throws {
        guard only == nil || only == "ceiling" || Self.all.contains(only ?? "") else {
            throw ValidationError(
                "There is no benchmark '\(only ?? "")'. There are: \(Self.all.joined(separator: ", ")).")
        }
        guard width.map({ $0 > 0 }) ?? true else { throw ValidationError("There is at least one caller.") }
        let ways = only == "lifecycle" ? Lifecycle.ways : Transport.ways
        guard way.map(ways.contains) ?? true else {
            throw ValidationError("The ways are: \(ways.joined(separator: ", ")).")
        }
        guard lines > 0 else { throw ValidationError("There is at least one line.") }
        guard rounds > 0 else { throw ValidationError("Measure at least once.") }
    }

    func run() async throws {
        var figures: [Figure] = []
        for name in Self.all where only == nil || only == name || (only == "ceiling" && name == "lifecycle") {
            FileHandle.standardError.write(Data("measuring \(name) …\n".utf8))
            switch name {
            case "lifecycle":
                figures += try await Lifecycle.run(
                    rounds: rounds, widths: width.map { [$0] } ?? Lifecycle.widths,
                    ways: only == "lifecycle" ? way.map { [$0] } ?? Lifecycle.ways : Lifecycle.ways)
            case "pickup": figures += try await Pickup.run(rounds: rounds)
            case "recovery": figures += try await Recovery.run(rounds: rounds)
            case "flight": figures += try await Flight.run(rounds: rounds)
            case "cache-hit": figures += try await CacheHit.run(rounds: rounds)
            case "memory": figures += try await Memory.run()
            case "stream": figures += try await Streaming.run(rounds: rounds)
            case "stream-memory": figures += try await Streaming.memory()
            case "prune": figures += try await Prune.run(rounds: rounds)
            case "coalesce": figures += try await Coalesce.run(rounds: rounds)
            case "merge": figures += try await Merge.run(rounds: rounds)
            case "observe": figures += try await Observe.run(rounds: rounds)
            case "actions": figures += try await Actions.run(rounds: rounds)
            case "sse": figures += try EventStreams.run(rounds: rounds)
            case "transport":
                figures += try await Transport.run(
                    rounds: rounds, widths: width.map { [$0] } ?? Transport.widths, way: way)
            case "embed": figures += try await Embed.run(rounds: rounds, lines: lines)
            default: figures += try await Narrate.run(rounds: rounds, hablare: hablare)
            }
        }
        let report = Report(results: figures)
        report.printTable()
        if let output { try report.write(to: URL(fileURLWithPath: output)) }
    }
}

struct Stream: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The child of `stream-memory`.", shouldDisplay: false)

    @Argument var folder: String
    @Argument var durability: Int

    func run() async throws {
        try await Streaming.child(folder, durability)
    }
}

struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The child of `recovery`.", shouldDisplay: false)

    @Argument var folder: String
    @Argument var start: Double

    func run() async throws {
        try await Recovery.child(folder, start: start)
    }
}

struct Soaking: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Keeps an engine at work and watches its memory.",
        discussion: """
            Exit status 1 when more than 5 % more memory is resident at the end than after a third of the time.
            """)

    @Option(help: "For how long.")
    var minutes = 20.0

    func validate() throws {
        guard minutes >= 0.5, minutes <= 100_000 else { throw ValidationError("Soak for half a minute or longer.") }
    }

    func run() async throws {
        let verdict = try await Soak.run(minutes: minutes)
        Report(results: verdict.figures).printTable()
        guard verdict.isFlat else {
            FileHandle.standardError.write(Data("soak: failed: its memory grows\n".utf8))
            throw ExitCode.failure
        }
    }
}

struct Hold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The child of `memory`.", shouldDisplay: false)

    @Argument var folder: String
    @Argument var concurrency: Int

    func run() async throws {
        try await Memory.child(folder, concurrency: concurrency)
    }
}
