import Foundation
import Hablare

/// The values of a submission, encoded for columns. They are encoded before any row is written. A value that cannot be
/// encoded therefore does not make the other writes of the commit fail.
struct SubmissionColumns {
    let prompt: PromptColumns
    let parameters: Data?
    let metadata: Data?
    let tags: Data?
    let chain: Data?
    let trace: Data?

    init(_ submission: Submission) throws {
        let request = submission.request
        prompt = try PromptColumns(submission)
        parameters = request.parameters.isEmpty ? nil : try Coding.tree(.object(request.parameters))
        metadata = try Coding.labels(request.metadata)
        tags = try request.tags.isEmpty ? nil : Coding.json(request.tags)
        let origin = FallbackTarget(submission.provider, model: request.model)
        chain = try request.fallback.isEmpty ? nil : Coding.json([origin] + request.fallback)
        trace = try submission.trace.flatMap { try Coding.labels($0.fields) }
    }

    /// The approximate number of bytes in the rows of the submission.
    var byteCount: Int { (prompt.inline?.count ?? 0) + (parameters?.count ?? 0) + (metadata?.count ?? 0) }
}

/// A prompt, encoded for columns: a text is stored unchanged, and messages are stored as JSON. A large prompt is in a
/// content file (``PackedPrompt``).
struct PromptColumns {
    let kind: Int
    /// The bytes of the prompt, or `nil` if they are in a content file.
    let inline: Data?

    init(_ submission: Submission) throws {
        switch submission.request.prompt {
        case .text(let text):
            kind = 0
            inline = submission.promptContent == nil ? Data(text.utf8) : nil
        case .messages(let messages):
            kind = 1
            inline = submission.promptContent == nil ? try Coding.json(messages) : nil
        }
    }

    static func prompt(kind: Int64, bytes: Data) throws -> Prompt {
        if kind == 0 { return .text(String(decoding: bytes, as: UTF8.self)) }
        return .messages(try Coding.value([Prompt.Message].self, bytes) ?? [])
    }
}
