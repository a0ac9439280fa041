/// How far a run of many pieces of work is.
struct Tally: Sendable, Hashable {
    /// How many pieces there are.
    var total: Int
    /// What one of them is called.
    var noun = "segment"
    /// How many were done by an earlier run.
    var reused = 0
    /// How many were done since this run began, by whichever process.
    var made = 0
    /// How many failed.
    var failed = 0
    /// How many were cancelled.
    var cancelled = 0
    /// How many are held: nobody knows whether their last attempt was carried out, so they wait for somebody's word.
    var held = 0
    /// How many of those that are not done failed and wait for their next attempt.
    var retrying = 0
    /// How much audio the finished ones have, in seconds; `nil` where the work is not audio.
    var audioSeconds: Double?
    /// The time since this run began, in seconds.
    var elapsed: Double = 0

    /// The time since this run began, in seconds, to the millisecond: as JSON has it.
    var elapsedSeconds: Double { (elapsed * 1000).rounded() / 1000 }

    /// How many pieces need no more work.
    var done: Int { reused + made + failed + cancelled + held }

    /// How many pieces a second this run does; `nil` before the first.
    var rate: Double? {
        made > 0 && elapsed > 0 ? Double(made) / elapsed : nil
    }

    /// How long the rest will take at this rate, in seconds.
    var remaining: Double? {
        rate.map { Double(max(0, total - done)) / $0 }
    }

    /// The finished part, from 0 to 1.
    var fraction: Double {
        total > 0 ? min(1, Double(done) / Double(total)) : 1
    }
}
