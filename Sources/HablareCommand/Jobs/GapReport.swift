import Hablare

struct GapReport: Sendable {
    private static let listed = 50

    let gaps: [JobGap]
    let total: Int
    let finished: Int
    let noun: String
    /// The consequence of the missing answers. In the report, it follows a comma. If it begins with `and`, it is left
    /// out if no request has an answer.
    let consequence: String
    let continuation: JobContinuation

    var lines: [String] {
        guard !gaps.isEmpty else { return [] }
        let (failures, cancelled, held) = (gaps.failures, gaps.cancelled, gaps.held)
        var lines = [summary]
        lines += list("Failed:", failures.map { ($0.gap, "\($0.error.reason) [\($0.error.code)]") }, .failed)
        if failures.contains(where: { $0.error.code == .timeout }) {
            lines.append(
                "To give each \(noun) more time, pass --timeout SECONDS.")
        }
        lines += list("Cancelled:", cancelled.map { ($0, nil) }, .cancelled)
        lines += list(
            "Held, because the outcome of the last attempt is unknown and it may have been billed:",
            held.map { ($0, nil) }, .held)
        lines += advice
        if let note = continuation.note { lines.append(note) }
        return lines
    }

    private var summary: String {
        let counts: [(count: Int, words: (_ isOne: Bool) -> String)] = [
            (gaps.failures.count, { _ in "failed" }),
            (gaps.cancelled.count, { $0 ? "was cancelled" : "were cancelled" }),
            (gaps.held.count, { $0 ? "is held" : "are held" }),
            (gaps.waiting.count, { $0 ? "waits" : "wait" }),
        ]
        let parts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.words($0.count == 1))" }
        let counted = "hablare: Of \(TimeText.count(total, noun)), \(parts.joined(separator: ", "))"
        guard finished > 0 || !consequence.hasPrefix("and ") else { return counted + "." }
        return "\(counted), \(consequence); \(finished) \(finished == 1 ? "is" : "are") done and kept."
    }

    private var advice: [String] {
        var lines: [String] = []
        let cancelled = gaps.cancelled.map(\.request)
        if !gaps.waiting.isEmpty {
            lines.append(
                """
                No more calls were made, because every other request would be refused, too. Fix the cause, then run:
                  \(continuation.line(retrying: cancelled))
                """)
        } else if !gaps.failures.isEmpty || !cancelled.isEmpty {
            let those = [gaps.failures.isEmpty ? nil : "failed", cancelled.isEmpty ? nil : "was cancelled"]
            lines.append(
                """
                To retry only what \(those.compactMap(\.self).joined(separator: " or ")):
                  \(continuation.line(retrying: cancelled))
                """)
        }
        if !gaps.held.isEmpty {
            lines.append(
                """
                Held requests are not retried by themselves, because they may be billed twice. To retry them:
                  \(continuation.releasingLine)
                """)
        }
        return lines
    }

    private func list(_ heading: String, _ gaps: [(gap: JobGap, reason: String?)], _ state: StateOption) -> [String] {
        guard !gaps.isEmpty else { return [] }
        var lines = [heading]
        for (gap, reason) in gaps.prefix(Self.listed) {
            lines.append("  \(noun) \(gap.index + 1) (\(gap.request.text))" + (reason.map { ": \($0)" } ?? ""))
        }
        guard gaps.count > Self.listed else { return lines }
        let all = continuation.data.commandLine("ps", "--job", continuation.job.rawValue, "--state", state.rawValue)
        return lines + ["  … and \(gaps.count - Self.listed) more: \(all)"]
    }
}
