import ArgumentParser
import Foundation
import Hablare

struct PruneCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Give up old responses and remove left-over files.",
        discussion: """
            Keeps the newest responses within the limits and gives up the content of the others; that they were made, \
            and at what cost, stays. Responses of a job (every narration is one) are always kept, and so are pinned \
            ones and those that wait to be merged: remove them with hablare rm. Files that a killed process left are \
            removed once nobody has touched them for an hour.

            Does not ask; --dry-run only counts. Other processes may work meanwhile.

            EXAMPLES:
              hablare prune --dry-run
              hablare prune --days 1 --count 100
            """)

    @Flag(help: "Count what would be given up, and change nothing.")
    var dryRun = false

    @Option(parsing: .unconditional, help: ArgumentHelp("The age to which responses are kept.", valueName: "days"))
    var days = Retention().maximumAge / Self.day

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most responses that are kept, at least 1.", valueName: "number"))
    var count = Retention().maximumCount

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most bytes that kept responses have together.", valueName: "bytes"))
    var bytes = Retention().maximumBytes

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var data: DataOptions

    private static let day: TimeInterval = 24 * 3600

    func validate() throws {
        guard days >= 0, days.isFinite else { throw ValidationError("--days takes a number of 0 or more.") }
        guard count >= 1 else { throw ValidationError("--count takes a number of 1 or more.") }
        guard bytes >= 0 else { throw ValidationError("--bytes takes a number of 0 or more.") }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        let report: AIRequestManager.PruneReport
        if let opened = try data.openExisting(in: composition) {
            let manager = try manager(of: opened, in: composition, verbose: data.verbose)
            let retention = Retention(maximumAge: days * Self.day, maximumCount: count, maximumBytes: bytes)
            report = dryRun ? try await manager.prunePlan(retention) : try await manager.prune(retention)
        } else {
            console.note("There is nothing yet to prune.")
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
        return dryRun ? "would give up \(responses) and remove \(files)" : "gave up \(responses), removed \(files)"
    }
}
