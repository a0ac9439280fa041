import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about kept answers and their files.
    static let keeping: [RuleCase] = [
        RuleCase(RetentionIsKept.self, "the answer of request 0 was evicted without need") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            if !isGuilty { trace.did(.evict(0), .done) }
            trace.becomes(0, .expired)
        },
        RuleCase(RetentionIsKept.self, "the answer of request 0 was evicted without need") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            if isGuilty { trace.did(.pin(0), .done) }
            trace.did(.prune(keeping: 0), .count(1))
            trace.becomes(0, .expired)
        },
        RuleCase(RetentionIsKept.self, "the answer of request 0 was evicted without need") { trace, isGuilty in
            trace.submit(1)
            trace.completes(1)
            trace.submit(0)
            trace.wait(5)
            trace.completes(0)
            trace.did(.prune(keeping: 1), .count(1))
            trace.becomes(isGuilty ? 0 : 1, .expired)
        },
        RuleCase(RetentionIsKept.self, "was evicted, but is completed") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            trace.did(.evict(0), .done)
            if !isGuilty { trace.becomes(0, .expired) }
        },
        RuleCase(RetentionIsKept.self, "2 answers were left by operation") { trace, isGuilty in
            for request in Int32(0)..<2 {
                trace.submit(request)
                trace.did(.outcome(request), .completed(call: trace.completes(request)))
            }
            trace.did(.prune(keeping: isGuilty ? 1 : 2), .count(0))
        },
        RuleCase(RetentionIsKept.self, "received an answer that had been evicted") { trace, isGuilty in
            trace.submit(0)
            let call = trace.completes(0)
            trace.did(.evict(0), .done)
            trace.did(.outcome(0), isGuilty ? .completed(call: call) : .expired)
            trace.becomes(0, .expired)
        },
        RuleCase(RetentionIsKept.self, "whose answer was evicted") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            if !isGuilty { trace.call(0) }
            trace.did(.evict(0), .done)
            trace.becomes(0, .expired)
            if isGuilty { trace.call(0) }
        },
        RuleCase(FilesAreKept.self, "rows refer to 1 files that are missing, but only 0 were lost") { trace, isGuilty in
            trace.hasFiles()
            trace.files.missing = 1
            if !isGuilty { trace.happens(.fileLost(.prompt(0))) }
        },
        RuleCase(FilesAreKept.self, "1 files are left, and no row refers to them") { trace, isGuilty in
            trace.hasFiles()
            trace.files.left = isGuilty ? 1 : 0
        },
        RuleCase(FilesAreKept.self, "1 files were abandoned, but no process died") { trace, isGuilty in
            trace.hasFiles()
            trace.files.abandoned = 1
            trace.submit(0)
            if !isGuilty { trace.happens(.crashed, in: 0) }
        },
        RuleCase(FilesAreKept.self, "1 files were abandoned, but no process died") { trace, isGuilty in
            trace.hasFiles()
            trace.files.abandoned = 1
            trace.happens(.fileNotRemoved, in: 0)
            if isGuilty { trace.happens(.committed(writes: 1), in: 0) }
        },
        RuleCase(FilesAreKept.self, "received an error about a missing file, but no file was missing") {
            trace, isGuilty in
            trace.hasFiles()
            trace.submit(0)
            if !isGuilty { trace.happens(.fileLost(.prompt(0))) }
            trace.did(.outcome(0), TraceDraft.failure("content-missing"))
        },
        RuleCase(FilesAreKept.self, "received an answer from a missing file") { trace, isGuilty in
            trace.hasFiles()
            trace.submit(0)
            let call = trace.completes(0)
            if !isGuilty { trace.happens(.fileLost(.answer(call))) }
            trace.did(.outcome(0), .lost)
        },
        RuleCase(FilesAreKept.self, "received an answer from a missing file") { trace, isGuilty in
            trace.hasFiles()
            trace.submit(0)
            trace.submit(1)
            trace.completes(0)
            trace.completes(1)
            trace.did(.evict(isGuilty ? 1 : 0), .done)
            trace.did(.outcome(0), .lost)
        },
        RuleCase(FilesAreKept.self, "received an error about a missing file, but no file was missing") {
            trace, isGuilty in
            trace.hasFiles()
            // No process collected files while it slept.
            let number = trace.called(.submit(0, content: 0))
            trace.sleeps(2)
            if !isGuilty { trace.happens(.filesCollected(1), in: 1) }
            trace.returned(number, TraceDraft.refused(AIServiceErrorCode(.contentMissing)))
        },
        RuleCase(FilesAreKept.self, "received an error about a missing file, but no file was missing") {
            trace, isGuilty in
            trace.hasFiles()
            // The sleeping process had nothing to write.
            let number = trace.called(.submit(0, content: 0), in: isGuilty ? 2 : 0)
            trace.sleeps(2)
            trace.happens(.filesCollected(1), in: 1)
            trace.returned(number, TraceDraft.refused(AIServiceErrorCode(.contentMissing)), in: isGuilty ? 2 : 0)
        },
        RuleCase(FilesAreKept.self, "received an error about a missing file, but no file was missing") {
            trace, isGuilty in
            trace.hasFiles()
            let number = trace.called(.submit(0, content: 0))
            trace.sleeps(isGuilty ? 0.5 : 2)
            trace.happens(.filesCollected(1), in: 1)
            trace.returned(number, TraceDraft.refused(AIServiceErrorCode(.contentMissing)))
        },
        RuleCase(FilesAreKept.self, "received an error about a missing file, but no file was missing") {
            trace, isGuilty in
            trace.hasFiles()
            let number = trace.called(.submit(0, content: 0))
            // Neither the writing nor the collecting process has a clock that jumped.
            trace.happens(.clockJumped(milliseconds: 5000), in: isGuilty ? 2 : 1)
            trace.happens(.filesCollected(1), in: 1)
            trace.returned(number, TraceDraft.refused(AIServiceErrorCode(.contentMissing)))
        },
        RuleCase(FilesAreKept.self, "the answer of request 0 is in a file that is missing") { trace, isGuilty in
            trace.hasFiles()
            trace.submit(0)
            let call = trace.completes(0)
            if !isGuilty { trace.happens(.fileLost(.answer(call))) }
            trace.becomes(0, .lost)
        },
        RuleCase(FilesAreKept.self, "failed because of a missing file, but no file was missing") { trace, isGuilty in
            trace.hasFiles()
            trace.submit(0)
            if !isGuilty { trace.happens(.fileLost(.prompt(0))) }
            trace.becomes(0, TraceDraft.failure("content-missing"))
        },
    ]
}

extension TraceDraft {
    /// Keeps all content in files.
    mutating func hasFiles() { plan.content = SimulationPlan.Content(threshold: 1, age: 1_000_000_000) }

    /// Lets process 0 sleep for this number of seconds.
    fileprivate mutating func sleeps(_ seconds: Double) {
        happens(.fellAsleep, in: 0)
        wait(seconds)
        happens(.wokeUp, in: 0)
    }
}
