import Foundation
import Hablare

/// A request as it is stored in columns. A prompt in a content file has not been read yet.
struct RequestColumns {
    static let selection = """
        SELECT f.member, p.name, f.model, f.tenant, f.sample, f.timeout, f.priority, f.prompt_kind, f.prompt,
            f.prompt_digest, f.prompt_size, f.parameters, r.metadata, f.max_attempts, f.on_unknown, r.deadline,
            r.tags, f.chain, f.streaming, r.merge, r.trace, r.created_at, r.caching
        """
    /// The same columns for any member of a flight, with the member's own id and priority.
    static let ofMember = """
        SELECT r.id, p.name, f.model, f.tenant, f.sample, f.timeout, coalesce(r.priority, f.priority), f.prompt_kind,
            f.prompt, f.prompt_digest, f.prompt_size, f.parameters, r.metadata, f.max_attempts, f.on_unknown, r.deadline,
            r.tags, f.chain, f.streaming, r.merge, r.trace, r.created_at, r.caching
        """
    /// The number of columns in ``selection``.
    static let count: Int32 = 23

    let provider: ProviderID
    private let id: UUID
    private let model: String?
    private let tenant: String
    private let sample: Int
    private let timeout: Duration?
    private let priority: Priority
    private let kind: Int64
    private let inline: Data?
    private let content: ContentReference?
    private let parameters: [String: ParameterValue]
    private let metadata: [String: String]
    private let maximumAttempts: Int?
    private let unknownOutcome: UnknownOutcomePolicy
    /// The request's deadline. If several requests share the flight, this is the latest of their deadlines.
    var deadline: Date?
    private let tags: [String]
    /// The providers and models in the order in which they are called. The first is the provider of the submission.
    /// Empty if there is no fallback provider.
    private let chain: [FallbackTarget]
    private let streaming: StreamingPolicy?
    private let keepUntilMerged: Bool
    private let caching: CachePolicy
    /// The context of the submission's trace.
    let trace: TraceContext?
    let submittedAt: Date

    init(_ row: borrowing BoundStatement.RowReader) throws {
        guard let id = row.uuid(0), let priority = Priority(rawValue: Int(row.int(6))),
            let unknownOutcome = UnknownOutcomePolicy(rawValue: Int(row.int(14)))
        else {
            throw AIServiceError(.storageCorrupt, "A flight's row cannot be read. Run `hablare doctor`.")
        }
        self.id = id
        self.priority = priority
        provider = ProviderID(rawValue: row.text(1) ?? "")
        model = row.text(2)
        tenant = row.text(3) ?? ""
        sample = Int(row.int(4))
        timeout = row.optionalInt(5).map { .milliseconds($0) }
        kind = row.int(7)
        inline = row.data(8)
        content = row.data(9).map { ContentReference(digest: $0, byteCount: Int(row.int(10))) }
        if let bytes = row.data(11), case .object(let members) = try CanonicalEncoding.value(of: bytes) {
            parameters = members
        } else {
            parameters = [:]
        }
        metadata = try Coding.value([String: String].self, row.data(12)) ?? [:]
        maximumAttempts = row.optionalInt(13).map { Int($0) }
        self.unknownOutcome = unknownOutcome
        deadline = row.optionalInt(15).map(Coding.date)
        tags = try Coding.value([String].self, row.data(16)) ?? []
        chain = try Coding.value([FallbackTarget].self, row.data(17)) ?? []
        streaming = row.optionalInt(18).map(StreamingPolicy.init(code:))
        keepUntilMerged = !row.isNull(19)
        trace = Self.trace(row.data(20))
        submittedAt = Coding.date(row.int(21))
        caching = CachePolicy(code: row.optionalInt(22))
    }

    /// Returns the trace context that a column contains. Returns `nil` if the column is damaged, because a request must
    /// not fail only because it cannot be traced.
    private static func trace(_ bytes: Data?) -> TraceContext? {
        do {
            return try Coding.value([String: String].self, bytes).flatMap(TraceContext.init)
        } catch {
            return nil
        }
    }

    /// A reference to the content file of the prompt. `nil` if the row contains the prompt.
    var promptContent: ContentReference? { inline == nil ? content : nil }

    /// Returns the request with its prompt.
    func request(reading reader: (any ContentReading)?) throws -> AIRequest {
        if let content, let reader { return request(prompt: try Prompt(in: content, of: reader)) }
        return request(prompt: try PromptColumns.prompt(kind: kind, bytes: inline ?? Data()))
    }

    /// The provider and the model for which the request was submitted, even if another provider is called now.
    var origin: FallbackTarget { chain.first ?? FallbackTarget(provider, model: model) }

    /// The request with an empty prompt, for the case that the prompt cannot be read or is read later.
    var withoutPrompt: AIRequest { request(prompt: .text("")) }

    private func request(prompt: Prompt) -> AIRequest {
        AIRequest(
            id: id, prompt: prompt, model: model, parameters: parameters, sample: sample, tenant: tenant,
            priority: priority, attemptTimeout: timeout, deadline: deadline, maximumAttempts: maximumAttempts,
            unknownOutcome: unknownOutcome, streaming: streaming, caching: caching,
            keepUntilMerged: keepUntilMerged, metadata: metadata, tags: tags, fallback: Array(chain.dropFirst()))
    }
}
