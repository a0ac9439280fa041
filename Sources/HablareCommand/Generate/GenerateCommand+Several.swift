import Foundation
import Hablare

/// Several answers to one prompt, and answers that must be as a schema says.
extension GenerateCommand {
    /// Has them made here, and prints them in order.
    func several(
        _ request: AIRequest, _ judge: SchemaJudge?, to target: AnswerTarget,
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
            retry: retry(of: team), prices: prices, verbose: data.verbose, in: composition)
        let run = AnswersRun(
            requests: requests, provider: team[0].provider.id, judge: judge, job: job, manager: workplace.manager,
            lookout: Lookout(
                manager: workplace.manager, signal: workplace.store.signal, clock: composition.seams.clock))
        let console = composition.console
        let asked = AskedRequests(store: workplace.store, console: console, isQuiet: quiet, data: data)
        return try await workplace.session(quiet: quiet).run {
            try await run.run()
        } then: { end in
            switch end {
            case .finished(let answers):
                let status = try tell(of: answers, asked)
                try await print(answers, of: job, to: target, asked, in: composition)
                return status
            case .stopped(let signal):
                if !quiet { try tell(ofStopped: job, workplace.store, to: console) }
                return signal.status
            }
        }
    }

    /// Says what became of those that are not complete.
    private func tell(of answers: [AnswersRun.Answer], _ asked: AskedRequests) throws -> CommandStatus {
        var status = CommandStatus.success
        for answer in answers {
            switch answer.ending {
            case .complete: continue
            case .unfinished: _ = try asked.tell(of: answer.request, isOurs: true)
            case .unsuitable(let error):
                asked.console.note("hablare: \(error.words) [\(error.code)]")
                asked.console.note(
                    "What was answered is in the store: \(data.commandLine("stream", answer.request.text))")
            }
            status = .incomplete
        }
        return status
    }

    private func tell(ofStopped job: JobKey, _ store: any RequestStore, to console: Console) throws {
        let snapshots = try store.snapshots(SnapshotFilter(job: job, limit: 1_000))
        let complete = snapshots.count { $0.phase == .completed }
        console.note(
            """
            \(complete) of \(TimeText.count(snapshots.count, "request")) \(complete == 1 ? "is" : "are") complete. \
            To have the rest made: \(data.commandLine("work"))
            To see them: \(data.commandLine("ps", "--job", job.rawValue))
            """)
        if schema != nil { console.note("Nobody will look then whether an answer is as the schema says.") }
    }

    // MARK: Printing

    /// Prints or writes them. Asking again would be paid for again: where they cannot be, it is said where they are.
    private func print(
        _ answers: [AnswersRun.Answer], of job: JobKey, to target: AnswerTarget, _ asked: AskedRequests,
        in composition: Composition
    ) async throws {
        let console = composition.console
        let kept = KeptOutput(
            advice: advice(for: answers, of: job, target), console: console, ended: "Not all of it was printed.")
        try await kept.run(writing: target.url) {
            if json {
                var records: [AnswerRecord] = []
                for answer in answers { records.append(try await record(of: answer, asked)) }
                let only = sample == nil ? records.first : nil
                try await console.print(only.map { try JSONText.of($0) } ?? JSONText.of(records))
            }
            guard target != .store else { return }
            let text = try await text(of: answers, asked)
            guard !text.isEmpty else { return }
            guard let file = target.url else { return try await console.write(Data(text.utf8)) }
            try await AnswerFile(file, console: console, isQuiet: quiet, clock: composition.seams.clock).take(
                Body(text))
        }
    }

    /// Where the answers are, and what brings one to where they were to go.
    private func advice(for answers: [AnswersRun.Answer], of job: JobKey, _ target: AnswerTarget) -> String {
        let complete = answers.compactMap { answer -> UUID? in
            if case .complete(let id, _, _) = answer.ending { id } else { nil }
        }
        let shown = target == .store ? ["--json"] : ["-o", "-"]
        guard complete.count == 1 else {
            let (list, one) = (["ps", "--job", job.rawValue], ["show", "ID"] + shown)
            return "They are in the store: \(data.commandLine(list)), and each with: \(data.commandLine(one))"
        }
        guard target == .standardOutput else { return target.advice(for: complete[0], data) }
        return "It is in the store: \(data.commandLine(["show", complete[0].text] + shown))"
    }

    private func record(of answer: AnswersRun.Answer, _ asked: AskedRequests) async throws -> AnswerRecord {
        switch answer.ending {
        case .complete(let id, let value, let repairs):
            try await AnswerRecord(asked.details(of: id), value: value, repairs: repairs)
        case .unfinished: try await AnswerRecord(asked.details(of: answer.request))
        case .unsuitable(let error): try await AnswerRecord(asked.details(of: answer.request), problem: error.words)
        }
    }

    /// The complete answers: values as JSON, of several one on each line; texts with a line `---` between them.
    private func text(of answers: [AnswersRun.Answer], _ asked: AskedRequests) async throws -> String {
        var parts: [String] = []
        var isValue = false
        for answer in answers {
            guard case .complete(let id, let value, _) = answer.ending else { continue }
            if let value {
                isValue = true
                parts.append(try JSONText.of(value, indented: sample == nil) + "\n")
            } else if let response = try asked.store.response(of: id) {
                let content = try response.content
                let text =
                    content.body == nil
                    ? try asked.details(of: id).contentJSON(content) : try await response.text()
                parts.append(text.hasSuffix("\n") ? text : text + "\n")
            }
        }
        return parts.joined(separator: isValue ? "" : "---\n")
    }
}
