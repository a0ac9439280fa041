import Foundation
import Hablare

/// Requests several answers, or an answer that must satisfy a schema. Prints and writes the answers, and reports how
/// requests without an answer ended.
///
/// If the user repeated the command, the answers would cost money again. So if answers cannot be printed or written,
/// the command says where they are stored.
struct SeveralAnswers: Sendable {
    let run: AnswersRun
    let target: Output
    let isJSON: Bool
    let isOne: Bool
    let asked: AskedRequests
    let composition: Composition

    private var job: JobKey { run.job }
    private var console: Console { composition.console }
    private var data: DataOptions { asked.data }

    func run(at storeSession: StoreSession) async throws -> CommandStatus {
        let list = data.commandLine("ps", "--job", job.rawValue)
        return try await asked.reportingHowToContinue(SnapshotFilter(job: job, limit: 1), then: list) {
            try await storeSession.engineSession(quiet: asked.isQuiet).run {
                try await run.run()
            } keep: { end in
                // Output that waits for a reader is part of the report. No signal ends our own work.
                guard target.file != nil, try !target.waitsForReader else { return }
                try await keep(end)
            } then: { end in
                try await report(end)
            }
        }
    }

    /// Writes the file before anything is printed, so that a blocked reader of the output cannot prevent it.
    private func keep(_ end: EngineSession.End<[AnswersRun.Answer]>) async throws {
        guard let answers = try await answers(of: end) else { return }
        do {
            try await write(answers)
        } catch let failure as CommandFailure {
            _ = try tell(of: answers)
            throw failure
        }
    }

    private func report(_ end: EngineSession.End<[AnswersRun.Answer]>) async throws -> CommandStatus {
        guard let answers = try await answers(of: end) else {
            try tellStopped()
            return end.signal?.status ?? .incomplete
        }
        let status = try tell(of: answers)
        tell(ofLeft: answers)
        try note(of: answers)
        if try target.file == nil || target.waitsForReader { try await write(answers) }
        try await printRecords(answers)
        return end.signal?.status ?? status
    }

    /// Returns all answers, even if they completed after a signal; `nil` if an answer is missing after a signal. If a
    /// request was removed in the meantime, it has no answer.
    private func answers(of end: EngineSession.End<[AnswersRun.Answer]>) async throws -> [AnswersRun.Answer]? {
        let answers: [AnswersRun.Answer]? =
            switch end {
            case .finished(let answers): answers
            case .stopped: try await run.answersNow(in: asked.store)
            }
        return try answers?.map { try $0.asFound(in: asked.store) }
    }

    private func write(_ answers: [AnswersRun.Answer]) async throws {
        guard target != .store else { return }
        let ended =
            target.file == nil ? "Only a part of the output was printed." : "Only a part of the output was written."
        try await kept(answers, ended).run(writing: target.file) {
            let text = try await text(of: answers)
            guard !text.isEmpty else { return }
            guard target.file != nil else { return try await console.write(Data(text.utf8)) }
            try await target.writer(in: composition, isQuiet: asked.isQuiet).take(Body(text))
        }
    }

    private func printRecords(_ answers: [AnswersRun.Answer]) async throws {
        guard isJSON else { return }
        try await kept(answers, "Only a part of the output was printed.").run {
            var records: [JSONObject] = []
            for answer in answers { if let record = try await record(of: answer) { records.append(record) } }
            let only = isOne ? records.first : nil
            try await console.print(only.map { try JSONText.of($0) } ?? JSONText.of(records))
        }
    }

    private func kept(_ answers: [AnswersRun.Answer], _ ended: String) -> KeptOutput {
        KeptOutput(advice: advice(for: answers), console: console, ended: ended)
    }

    private func advice(for answers: [AnswersRun.Answer]) -> String {
        let complete = answers.compactMap { answer -> UUID? in
            if case .complete(let id, _, _) = answer.ending { id } else { nil }
        }
        let shown = target == .store ? ["--json"] : ["-o", "-"]
        guard complete.count == 1 else {
            let (list, one) = (["ps", "--job", job.rawValue], ["show", "ID"] + shown)
            return """
                The answers are in the store. To list them: \(data.commandLine(list)). To print one: \
                \(data.commandLine(one))
                """
        }
        guard target == .standardOutput else { return target.advice(for: complete[0], data) }
        return "It is in the store: \(data.commandLine(["show", complete[0].text] + shown))"
    }

    private func record(of answer: AnswersRun.Answer) async throws -> JSONObject? {
        guard let source = answer.source, try asked.store.snapshot(of: source) != nil else { return nil }
        let (details, usage) = try (asked.details(of: source), usage(of: answer.request))
        switch answer.ending {
        case .complete(_, let value, let repairs):
            return try await details.answerRecord(value: value, repairs: repairs, usage: usage)
        case .unsuitable(let error, _, let repairs):
            return try await details.answerRecord(repairs: repairs, problem: error.words, usage: usage)
        case .unfinished, .left:
            return try await details.answerRecord(usage: usage)
        case .removed: return nil
        }
    }

    private func usage(of request: UUID) throws -> Usage? {
        guard let judge = run.judge else { return nil }
        return Usage.total(of: try judge.chain(of: request).compactMap { try asked.store.response(of: $0)?.usage })
    }

    /// Returns the complete answers as text. Values are written as JSON, one on each line. Texts have a line `---`
    /// between them.
    private func text(of answers: [AnswersRun.Answer]) async throws -> String {
        var parts: [String] = []
        var isValue = false
        for answer in answers {
            guard case .complete(let id, let value, _) = answer.ending else { continue }
            if let value {
                isValue = true
                parts.append(try JSONText.of(value, indented: isOne) + "\n")
            } else if let response = try asked.store.response(of: id) {
                let json = try response.content.json
                let text = if let json { json } else { try await response.text() }
                parts.append(text.hasSuffix("\n") ? text : text + "\n")
            }
        }
        return parts.joined(separator: isValue ? "" : "---\n")
    }

    private func tell(of answers: [AnswersRun.Answer]) throws -> CommandStatus {
        var status = CommandStatus.success
        for answer in answers {
            switch answer.ending {
            case .complete: continue
            case .left: break
            case .unfinished, .removed:
                do {
                    _ = try asked.tell(of: answer.request, isOurs: true)
                } catch let failure as CommandFailure where failure.status == .inputMissing && answers.count > 1 {
                    console.note("hablare: \(failure.message)")
                }
            case .unsuitable(let error, let id, _):
                console.note("hablare: \(error.words) [\(error.code)]")
                console.note("The answer is in the store: \(data.commandLine("stream", id.text))")
            }
            status = .incomplete
        }
        return status
    }

    private func tell(ofLeft answers: [AnswersRun.Answer]) {
        let count = answers.count { if case .left = $0.ending { true } else { false } }
        guard count > 0 else { return }
        let commands = [
            data.commandLine("retry", "--failed", "--job", job.rawValue), data.commandLine("work"),
            data.commandLine("ps", "--job", job.rawValue),
        ]
        console.note(
            """
            \(TimeText.count(count, "request")) \(count == 1 ? "waits" : "wait"), because every other request would \
            be refused, too. Fix the cause, then run:
              \(commands.joined(separator: " && "))
            """)
    }

    private func note(of answers: [AnswersRun.Answer]) throws {
        guard !asked.isQuiet else { return }
        for (number, answer) in answers.enumerated() {
            guard case .complete(let id, _, _) = answer.ending, let response = try asked.store.response(of: id) else {
                continue
            }
            let name = answers.count == 1 ? "The answer" : "Answer \(number + 1)"
            for line in AnswerNote.lines(of: response, named: name, askedOf: run.provider, data) {
                console.note(line)
            }
        }
    }

    /// Reports where the requests are that a signal stopped. With --quiet, prints only the command that lists them.
    private func tellStopped() throws {
        let list = "To list the requests: \(data.commandLine("ps", "--job", job.rawValue))"
        guard !asked.isQuiet else { return console.note(list) }
        let snapshots = try asked.store.snapshots(SnapshotFilter(job: job, limit: 1_000))
        let complete = snapshots.count { $0.phase == .completed }
        var lines = [
            "\(complete) of \(TimeText.count(snapshots.count, "request")) \(complete == 1 ? "is" : "are") complete."
        ]
        if snapshots.contains(where: { !$0.phase.isFinal }) {
            lines[0] += " To run the rest: \(data.commandLine("work"))"
        }
        lines.append(list)
        if run.judge != nil { lines.append("`hablare work` does not check or repair answers against the schema.") }
        console.note(lines.joined(separator: "\n"))
    }
}

extension Usage {
    /// Returns the total usage of several answers; `nil` for no answers. The total has a cost only if each cost is
    /// known.
    static func total(of usages: [Usage]) -> Usage? {
        guard !usages.isEmpty else { return nil }
        var total = Usage.sum(of: usages)
        if usages.contains(where: { $0.costMicroDollars == nil }) { total.costMicroDollars = nil }
        return total
    }
}
