import Foundation
import Hablare

/// Prints and writes several answers, or one that a schema wanted. Asking again would be paid for again: where they cannot
/// be printed or written, it is said where they are.
struct SeveralAnswers: Sendable {
    /// What they are stored under.
    let job: JobKey
    let target: AnswerTarget
    /// Whether an object for each is printed, too.
    let isJSON: Bool
    /// Whether one was wanted, and not a number of them.
    let isOne: Bool
    /// Says which requests are repairs; `nil` where no schema wanted anything.
    let judge: SchemaJudge?
    let asked: AskedRequests
    let composition: Composition

    private var console: Console { composition.console }
    private var data: DataOptions { asked.data }

    /// Writes the complete answers to where they go, if they go anywhere; a file is there whole, or is what it was.
    ///
    /// - Throws: ``CommandFailure``, with how to get them; `AIServiceError` for content that cannot be read,
    ///   `CancellationError`.
    func write(_ answers: [AnswersRun.Answer]) async throws {
        guard target != .store else { return }
        let ended = target.url == nil ? "Not all of it was printed." : "Not all of it was written."
        try await kept(answers, ended).run(writing: target.url) {
            let text = try await text(of: answers)
            guard !text.isEmpty else { return }
            guard let file = target.url else { return try await console.write(Data(text.utf8)) }
            try await AnswerFile(file, console: console, isQuiet: asked.isQuiet, clock: composition.seams.clock).take(
                Body(text))
        }
    }

    /// Prints the object of each, where that is wanted.
    ///
    /// - Throws: as ``write(_:)``.
    func printRecords(_ answers: [AnswersRun.Answer]) async throws {
        guard isJSON else { return }
        try await kept(answers, "Not all of it was printed.").run {
            var records: [AnswerRecord] = []
            for answer in answers { if let record = try await record(of: answer) { records.append(record) } }
            let only = isOne ? records.first : nil
            try await console.print(only.map { try JSONText.of($0) } ?? JSONText.of(records))
        }
    }

    // MARK: Words

    private func kept(_ answers: [AnswersRun.Answer], _ ended: String) -> KeptOutput {
        KeptOutput(advice: advice(for: answers), console: console, ended: ended)
    }

    /// Where the answers are, and what brings one to where they were to go.
    private func advice(for answers: [AnswersRun.Answer]) -> String {
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

    // MARK: Contents

    /// All that there is to say of one; `nil` where it was removed.
    private func record(of answer: AnswersRun.Answer) async throws -> AnswerRecord? {
        guard let source = answer.source, try asked.store.snapshot(of: source) != nil else { return nil }
        let (details, usage) = try (asked.details(of: source), usage(of: answer.request))
        switch answer.ending {
        case .complete(_, let value, let repairs):
            return try await AnswerRecord(details, value: value, repairs: repairs, usage: usage)
        case .unsuitable(let error, _, let repairs):
            return try await AnswerRecord(details, repairs: repairs, problem: error.words, usage: usage)
        case .unfinished, .left:
            return try await AnswerRecord(details, usage: usage)
        case .removed: return nil
        }
    }

    /// What a request used together with its repairs; `nil` where no schema wanted any.
    private func usage(of request: UUID) throws -> Usage? {
        guard let judge else { return nil }
        return Usage.total(of: try judge.chain(of: request).compactMap { try asked.store.response(of: $0)?.usage })
    }

    /// The complete answers: values as JSON, of several one on each line; texts with a line `---` between them.
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
}

extension Usage {
    /// What several answers used together, with what they cost where that is known of each; `nil` of none.
    static func total(of usages: [Usage]) -> Usage? {
        guard !usages.isEmpty else { return nil }
        var total = Usage.sum(of: usages)
        if usages.contains(where: { $0.costMicroDollars == nil }) { total.costMicroDollars = nil }
        return total
    }
}
