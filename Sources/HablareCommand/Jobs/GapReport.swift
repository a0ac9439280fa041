import Hablare

/// What a person is told of the requests of a job that have no answer.
struct GapReport: Sendable {
    /// The most of a kind that are listed one by one.
    private static let listed = 50

    let gaps: [JobGap]
    /// How many requests there are.
    let total: Int
    /// How many of them have their answer now.
    let finished: Int
    /// What one of them is for, in a word.
    let noun: String
    /// What follows from the gaps, behind a comma.
    let consequence: String
    let job: JobKey
    /// The command line, for doing it again.
    let command: String
    /// Where the store is, for advice.
    let data: DataOptions

    /// Says why there is no answer, and what to do; nothing where there are no gaps.
    func tell(to console: Console) {
        guard !gaps.isEmpty else { return }
        let (failures, cancelled, held) = (gaps.failures, gaps.cancelled, gaps.held)
        var counts: [String] = []
        if !failures.isEmpty { counts.append("\(failures.count) failed") }
        if !cancelled.isEmpty { counts.append("\(cancelled.count) \(Self.were(cancelled.count)) cancelled") }
        if !held.isEmpty { counts.append("\(held.count) \(held.count == 1 ? "is" : "are") held") }
        console.note(
            "hablare: Of \(TimeText.count(total, noun)), \(counts.joined(separator: ", ")), "
                + "\(consequence); \(finished) \(finished == 1 ? "is" : "are") done, and kept."
        )
        list("Failed:", failures.map { ($0.gap, "\($0.error.reason) [\($0.error.code)]") }, .failed, to: console)
        if failures.contains(where: { $0.error.code == .timeout }) {
            console.note(
                "\(noun.prefix(1).uppercased() + noun.dropFirst())s that need more time get it with --timeout SECONDS.")
        }
        list("Cancelled:", cancelled.map { ($0, nil) }, .cancelled, to: console)
        list(
            "Held, because nobody knows whether their last attempt was carried out, and billed:",
            held.map { ($0, nil) }, .held, to: console)
        if !failures.isEmpty || !cancelled.isEmpty {
            let those = [failures.isEmpty ? nil : "failed", cancelled.isEmpty ? nil : "was cancelled"]
            console.note(
                "To try what \(those.compactMap(\.self).joined(separator: " or ")) again, and only that:\n  \(command)")
        }
        if !held.isEmpty {
            let retry = data.commandLine("retry", "--held", "--job", job.rawValue)
            console.note(
                """
                What is held is not made again without your word, because it may be paid for twice. To have it made:
                  \(retry) && \(command)
                """)
        }
    }

    private func list(
        _ heading: String, _ gaps: [(gap: JobGap, reason: String?)], _ state: StateOption, to console: Console
    ) {
        guard !gaps.isEmpty else { return }
        console.note(heading)
        for (gap, reason) in gaps.prefix(Self.listed) {
            console.note("  \(noun) \(gap.index + 1) (\(gap.request.text))" + (reason.map { ": \($0)" } ?? ""))
        }
        guard gaps.count > Self.listed else { return }
        let all = data.commandLine("ps", "--job", job.rawValue, "--state", state.rawValue)
        console.note("  … and \(gaps.count - Self.listed) more: \(all)")
    }

    private static func were(_ count: Int) -> String { count == 1 ? "was" : "were" }
}
