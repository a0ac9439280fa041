import ArgumentParser
import Foundation
import Hablare

struct PruneCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Delete the content of old answers, and remove left-over files.",
        usage: "hablare prune [<options>]",
        discussion: """
            EXAMPLES:
              hablare prune --dry-run
              hablare prune --days 1 --count 100

            The command deletes the content of answers, oldest first, until the kept answers are within the limits \
            --days, --count and --bytes. The requests and their recorded costs stay.

            These answers are always kept: the answers of a job, pinned answers, and answers that an app has not yet \
            copied into its own database. Every narration is a job. To delete these answers, use `hablare rm`.

            Files that a killed process left behind are removed if they are older than an hour. The command does not \
            ask for confirmation. Other processes may use the store at the same time.
            """)

    @Flag(help: "Count the answers and files, and change nothing.")
    var dryRun = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Keep answers up to this age.", valueName: "days"))
    var days = Retention().maximumAge / Self.day

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep at most this many answers; 1 or more.", valueName: "number"))
    var count = Retention().maximumCount

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Keep at most this many bytes of answers.", valueName: "bytes"))
    var bytes = Retention().maximumBytes

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var data: DataOptions

    private static let day: TimeInterval = 24 * 3600

    func validate() throws {
        guard days >= 0, days.isFinite else { throw ValidationError("--days must be 0 or more.") }
        guard count >= 1 else { throw ValidationError("--count must be 1 or more.") }
        guard bytes >= 0 else { throw ValidationError("--bytes must be 0 or more.") }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        let report: AIRequestManager.PruneReport
        if let opened = try data.openExisting(in: composition) {
            let manager = try manager(of: opened, in: composition, verbose: data.verbose)
            let retention = Retention(maximumAge: days * Self.day, maximumCount: count, maximumBytes: bytes)
            report = dryRun ? try await manager.prunePlan(retention) : try await manager.prune(retention)
        } else {
            console.note("There is nothing to prune yet.")
            report = AIRequestManager.PruneReport()
        }
        let object: JSONObject = [
            "dryRun": dryRun, "responses": report.responses, "responseBytes": report.bytes,
            "leftOverFiles": report.abandoned.files, "leftOverBytes": report.abandoned.bytes,
        ]
        try await console.print(json ? JSONText.of(object) : words(for: report))
        return .success
    }

    private func words(for report: AIRequestManager.PruneReport) -> String {
        let responses = "\(TimeText.count(report.responses, "response")) (\(TimeText.count(Int(report.bytes), "byte")))"
        let abandoned = report.abandoned
        let files =
            "\(TimeText.count(abandoned.files, "left-over file")) (\(TimeText.count(Int(abandoned.bytes), "byte")))"
        return dryRun ? "would evict \(responses) and remove \(files)" : "evicted \(responses), removed \(files)"
    }
}
