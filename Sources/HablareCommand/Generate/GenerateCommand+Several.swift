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
        return try await workplace.session(quiet: quiet).run {
            try await run.run()
        } then: { end in
            switch end {
            case .finished(let answers):
                let status = try tell(of: answers, workplace.store, to: console)
                try await print(answers, to: target, workplace.store, console)
                return status
            case .stopped(let signal):
                if !quiet { try tell(ofStopped: job, workplace.store, to: console) }
                return signal.status
            }
        }
    }

    /// Says what became of those that are not complete.
    private func tell(
        of answers: [AnswersRun.Answer], _ store: any RequestStore, to console: Console
    ) throws -> CommandStatus {
        var status = CommandStatus.success
        for answer in answers {
            switch answer.ending {
            case .complete: continue
            case .unfinished: _ = try tell(of: answer.request, store, to: console, isOurs: true)
            case .unsuitable(let error):
                console.note("hablare: \(error.words) [\(error.code)]")
                console.note("What was answered is in the store: \(data.commandLine("stream", answer.request.text))")
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

    private func print(
        _ answers: [AnswersRun.Answer], to target: AnswerTarget, _ store: any RequestStore, _ console: Console
    ) async throws {
        if json {
            var records: [AnswerRecord] = []
            for answer in answers { records.append(try await record(of: answer, store)) }
            if let only = records.first, sample == nil {
                try await console.print(JSONText.of(only))
            } else {
                try await console.print(JSONText.of(records))
            }
        }
        guard target != .store else { return }
        let text = try await text(of: answers, store)
        guard !text.isEmpty else { return }
        switch target {
        case .file(let file):
            try await AnswerFile(file, console: console, isQuiet: quiet).take(Body(text))
        case .standardOutput: try await console.write(Data(text.utf8))
        case .store: return
        }
    }

    private func record(of answer: AnswersRun.Answer, _ store: any RequestStore) async throws -> AnswerRecord {
        switch answer.ending {
        case .complete(let id, let value, let repairs):
            try await AnswerRecord(
                details(of: id, in: store), value: value, repairs: repairs)
        case .unfinished: try await AnswerRecord(details(of: answer.request, in: store))
        case .unsuitable(let error):
            try await AnswerRecord(details(of: answer.request, in: store), problem: error.words)
        }
    }

    /// The complete answers: values as JSON, of several one on each line; texts with a line `---` between them.
    private func text(of answers: [AnswersRun.Answer], _ store: any RequestStore) async throws -> String {
        var parts: [String] = []
        var isValue = false
        for answer in answers {
            guard case .complete(let id, let value, _) = answer.ending else { continue }
            if let value {
                isValue = true
                parts.append(try JSONText.of(value, indented: sample == nil) + "\n")
            } else if let response = try store.response(of: id) {
                let content = try response.content
                let text =
                    content.body == nil
                    ? try details(of: id, in: store).contentJSON(content) : try await response.text()
                parts.append(text.hasSuffix("\n") ? text : text + "\n")
            }
        }
        return parts.joined(separator: isValue ? "" : "---\n")
    }
}
