struct ProgressBar: Sendable, Hashable {
    var allowsUnicode = true
    var style = Style(isEnabled: false)

    private static let widestBar = 40
    private static let narrowestBar = 8

    /// Returns a line of at most `width` columns: a bar, followed by as many figures as fit, the most important first.
    func line(_ progress: Tally, width: Int) -> String {
        let width = max(1, width)
        var figures = figures(of: progress)
        while figures.count > 1, length(of: figures) + Self.narrowestBar + 3 > width { figures.removeLast() }
        let text = figures.joined(separator: separator)
        let room = min(Self.widestBar, width - text.count - 3)
        guard room >= Self.narrowestBar else { return String(text.prefix(width)) }
        let filled = Int((progress.fraction * Double(room)).rounded(.down))
        let bar =
            style.green(String(repeating: full, count: filled))
            + style.dim(String(repeating: empty, count: room - filled))
        return "[\(bar)] \(text)"
    }

    func plainLine(_ progress: Tally) -> String {
        var parts = ["\(progress.done) of \(TimeText.count(progress.total, progress.noun))"]
        if let audio = progress.audioSeconds { parts.append("\(TimeText.clock(audio)) of audio") }
        if progress.failed > 0 { parts.append("\(progress.failed) failed") }
        if progress.held > 0 { parts.append("\(progress.held) held") }
        if progress.retrying > 0, progress.done < progress.total {
            parts.append("\(progress.retrying) waiting for a retry")
        }
        if let rate = TimeText.rate(progress.rate) { parts.append("\(rate) a second") }
        if progress.done < progress.total, let remaining = progress.remaining {
            parts.append("about \(TimeText.clock(remaining)) left")
        }
        return parts.joined(separator: ", ")
    }

    private var full: String { allowsUnicode ? "█" : "#" }
    private var empty: String { allowsUnicode ? "░" : "-" }
    private var separator: String { allowsUnicode ? " · " : ", " }

    private func figures(of progress: Tally) -> [String] {
        var figures = ["\(progress.done)/\(progress.total)"]
        if progress.failed > 0 { figures.append("\(progress.failed) failed") }
        if progress.held > 0 { figures.append("\(progress.held) held") }
        if progress.retrying > 0, progress.done < progress.total { figures.append("\(progress.retrying) to retry") }
        if progress.done < progress.total, let remaining = progress.remaining {
            figures.append("\(TimeText.clock(remaining)) left")
        }
        if let audio = progress.audioSeconds { figures.append("\(TimeText.clock(audio)) audio") }
        if let rate = TimeText.rate(progress.rate) { figures.append("\(rate)/s") }
        return figures
    }

    private func length(of figures: [String]) -> Int {
        figures.reduce(0) { $0 + $1.count } + separator.count * (figures.count - 1)
    }
}

struct Tally: Sendable, Hashable {
    var total: Int
    var noun = "segment"
    var reused = 0
    /// The number of requests that any process completed since this run began.
    var made = 0
    var failed = 0
    var cancelled = 0
    /// The number of held requests. The outcome of their last attempt is unknown, and they wait for an explicit retry.
    var held = 0
    /// The number of unfinished requests that failed and wait for their next attempt.
    var retrying = 0
    /// The length of the finished audio in seconds; `nil` if the work is not audio.
    var audioSeconds: Double?
    var elapsed: Double = 0

    /// The time since this run began in seconds, rounded to milliseconds, for JSON.
    var elapsedSeconds: Double { (elapsed * 1000).rounded() / 1000 }

    var done: Int { reused + made + failed + cancelled + held }

    var rate: Double? {
        made > 0 && elapsed > 0 ? Double(made) / elapsed : nil
    }

    var remaining: Double? {
        rate.map { Double(max(0, total - done)) / $0 }
    }

    var fraction: Double {
        total > 0 ? min(1, Double(done) / Double(total)) : 1
    }
}
