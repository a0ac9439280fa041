import Foundation
import Hablare

/// Several answers to one prompt, and answers that must be as a schema says.
extension GenerateCommand {
    /// Has them made here, and prints them in order.
    func several(
        _ request: AIRequest, _ judge: SchemaJudge?, to target: Output,
        with team: [InstalledProvider], prices: PriceTable, in composition: Composition
    ) async throws -> CommandStatus {
        let job = JobKey(rawValue: "generate \(request.id.text)")
        let requests = (0..<(sample ?? 1)).map { number in
            var one = number == 0 ? request : request.named(.timeOrdered())
            one.sample = number
            return one
        }
        let workplace = try Workplace(
            try data.open(in: composition), providers: team, scope: .job(job),
            retry: retry(of: team), prices: prices, verbose: data.verbose,
            // The requests that wait then are told of at the end, with how to go on.
            suspending: { _, _ in }, in: composition)
        let run = AnswersRun(
            requests: requests, provider: team[0].provider.id, judge: judge, job: job, manager: workplace.manager,
            lookout: workplace.lookout())
        let asked = AskedRequests(store: workplace.store, console: composition.console, isQuiet: quiet, data: data)
        let output = SeveralAnswers(
            job: job, target: target, isJSON: json, isOne: sample == nil, judge: judge, asked: asked,
            composition: composition)
        let list = data.commandLine("ps", "--job", job.rawValue)
        return try await asked.tellingHowToGoOn(SnapshotFilter(job: job, limit: 1), then: list) {
            try await workplace.session(quiet: quiet).run {
                try await run.run()
            } keep: { end in
                // What waits for a reader is part of the report: no signal ends our own work.
                guard target.file != nil, try !target.waitsForReader else { return }
                try await keep(end, of: run, in: output)
            } then: { end in
                try await report(end, of: run, in: output)
            }
        }
    }

    /// Writes the file before anything is printed: who does not read that must not keep it away.
    private func keep(
        _ end: EngineSession.End<[AnswersRun.Answer]>, of run: AnswersRun, in output: SeveralAnswers
    ) async throws {
        guard let answers = try await answers(of: end, run, output.asked) else { return }
        do {
            try await output.write(answers)
        } catch let failure as CommandFailure {
            _ = try tell(of: answers, output.asked)
            throw failure
        }
    }

    /// Says what became of them, and prints them.
    private func report(
        _ end: EngineSession.End<[AnswersRun.Answer]>, of run: AnswersRun, in output: SeveralAnswers
    ) async throws -> CommandStatus {
        let (target, asked) = (output.target, output.asked)
        guard let answers = try await answers(of: end, run, asked) else {
            try tell(ofStopped: output.job, asked)
            return end.signal?.status ?? .incomplete
        }
        let status = try tell(of: answers, asked)
        tell(ofLeft: answers, output.job, asked.console)
        try note(of: answers, run.provider, asked)
        if try target.file == nil || target.waitsForReader { try await output.write(answers) }
        try await output.printRecords(answers)
        return end.signal?.status ?? status
    }

    /// All answers, also where a signal came and they came nevertheless; `nil` where one is missing then. What somebody
    /// removed while the others were made is none.
    private func answers(
        of end: EngineSession.End<[AnswersRun.Answer]>, _ run: AnswersRun, _ asked: AskedRequests
    ) async throws -> [AnswersRun.Answer]? {
        let answers: [AnswersRun.Answer]? =
            switch end {
            case .finished(let answers): answers
            case .stopped: try await run.answersNow(in: asked.store)
            }
        return try answers?.map { try $0.asFound(in: asked.store) }
    }

    // MARK: Words

    /// Says what became of those that are not complete.
    private func tell(of answers: [AnswersRun.Answer], _ asked: AskedRequests) throws -> CommandStatus {
        var status = CommandStatus.success
        for answer in answers {
            switch answer.ending {
            case .complete: continue
            case .left: break
            case .unfinished, .removed:
                do {
                    _ = try asked.tell(of: answer.request, isOurs: true)
                } catch let failure as CommandFailure where failure.status == .inputMissing && answers.count > 1 {
                    asked.console.note("hablare: \(failure.message)")
                }
            case .unsuitable(let error, let id, _):
                asked.console.note("hablare: \(error.words) [\(error.code)]")
                asked.console.note("What was answered is in the store: \(data.commandLine("stream", id.text))")
            }
            status = .incomplete
        }
        return status
    }

    /// Says how many were left to wait, and what to do.
    private func tell(ofLeft answers: [AnswersRun.Answer], _ job: JobKey, _ console: Console) {
        let count = answers.count { if case .left = $0.ending { true } else { false } }
        guard count > 0 else { return }
        let commands = [
            data.commandLine("retry", "--failed", "--job", job.rawValue), data.commandLine("work"),
            data.commandLine("ps", "--job", job.rawValue),
        ]
        console.note(
            """
            \(TimeText.count(count, "request")) \(count == 1 ? "waits" : "wait"): nothing more is asked, because it would \
            be refused in the same way. Once that is put right, to go on:
              \(commands.joined(separator: " && "))
            """)
    }

    /// Says which of the complete ones are not whole, or not of whom they were asked.
    private func note(of answers: [AnswersRun.Answer], _ provider: ProviderID, _ asked: AskedRequests) throws {
        guard !quiet else { return }
        for (number, answer) in answers.enumerated() {
            guard case .complete(let id, _, _) = answer.ending, let response = try asked.store.response(of: id) else {
                continue
            }
            let name = answers.count == 1 ? "The answer" : "Answer \(number + 1)"
            for line in AnswerNote.lines(of: response, named: name, askedOf: provider, data) {
                asked.console.note(line)
            }
        }
    }

    /// Says where those are that a signal stopped; that there is something of them also who wants to hear nothing else.
    private func tell(ofStopped job: JobKey, _ asked: AskedRequests) throws {
        let list = "To see them: \(data.commandLine("ps", "--job", job.rawValue))"
        guard !quiet else { return asked.console.note(list) }
        let snapshots = try asked.store.snapshots(SnapshotFilter(job: job, limit: 1_000))
        let complete = snapshots.count { $0.phase == .completed }
        var lines = [
            "\(complete) of \(TimeText.count(snapshots.count, "request")) \(complete == 1 ? "is" : "are") complete."
        ]
        if snapshots.contains(where: { !$0.phase.isFinal }) {
            lines[0] += " To have the rest made: \(data.commandLine("work"))"
        }
        lines.append(list)
        if schema != nil { lines.append("Nobody will look then whether an answer is as the schema says.") }
        asked.console.note(lines.joined(separator: "\n"))
    }
}
