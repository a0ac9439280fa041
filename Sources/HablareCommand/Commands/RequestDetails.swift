import Foundation
import Hablare

struct RequestDetails: JSONPrintable, Sendable {
    let standing: RequestStanding
    let request: AIRequest
    let response: AIResponseData?
    /// An answer that arrived but could not be used.
    var kept: KeptAnswer?
    let showsPrompt: Bool

    var snapshot: RequestSnapshot { standing.snapshot }

    private var contentFile: String? { content?.body?.fileURL?.path }

    private var content: ResponseContent? {
        guard case .success(let content)? = response?.result else { return nil }
        return content
    }

    func lines(_ style: Style, at time: LocalTime, work: String) -> [String] {
        let cached = response?.ageInCache.map { "from the cache, \($0) s old" } ?? "from the cache"
        var rows: [(String, String?)] = [
            ("id", snapshot.id.text),
            ("state", standing.state),
            ("that is", standing.isInterrupted ? RequestStanding.interruption(of: request, work: work) : nil),
            ("waiting", standing.waitingSentence(at: time)),
            // Not "held by": a held request is one that no process runs.
            (
                standing.isInterrupted ? "was with" : "with",
                snapshot.holder.map { "process \($0.processID) on \($0.host)" }
            ),
            ("error", snapshot.error.map { "\($0.words) [\($0.code)]" }),
            ("cause", snapshot.error?.cause),
            ("provider", snapshot.providerID.rawValue),
            ("model", snapshot.model),
        ]
        rows += request.fallback.map { ("else", $0.provider.rawValue + ($0.model.map { ", model \($0)" } ?? "")) }
        rows += request.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value.text ?? "…") }
        rows += [
            ("job", snapshot.job?.rawValue),
            ("tags", snapshot.tags.isEmpty ? nil : snapshot.tags.joined(separator: ", ")),
            ("place in job", snapshot.position.map { String($0 + 1) }),
            ("priority", "\(snapshot.priority)"),
            ("attempts", String(snapshot.attempts)),
            ("attempts at most", request.maximumAttempts.map { String($0) }),
            ("if interrupted", request.unknownOutcome == .runAgain ? nil : request.unknownOutcome.word),
            ("deadline", snapshot.deadline.map(TimeText.moment)),
            ("created", TimeText.moment(snapshot.createdAt)),
            ("finished", snapshot.finishedAt.map(TimeText.moment)),
            ("replaces", snapshot.supersedes?.text),
        ]
        rows += snapshot.metadata.sorted { $0.key < $1.key }.map { ("label \($0.key)", $0.value) }
        rows.append(("answer", snapshot.isFromCache ? cached : nil))
        rows += contentRows + [("prompt", showsPrompt ? request.prompt.plainText : nil)]
        let given = rows.compactMap { name, value in value.map { (name, $0) } }
        let width = given.map(\.0.count).max() ?? 0
        return given.map { name, value in
            style.dim(name + String(repeating: " ", count: width - name.count)) + "  " + style.plain(value)
        }
    }

    private var contentRows: [(String, String?)] {
        guard let response else { return keptRows }
        guard let content else { return [("content", "no longer kept")] }
        var rows: [(String, String?)] = [("content", content.type.rawValue)]
        if let body = content.body { rows.append(("size", "\(body.byteCount) bytes")) }
        rows.append(("content file", contentFile ?? "in the database (write it with --output FILE)"))
        let cacheKeys = response.ageInCache == nil ? [] : [AIResponseData.cacheKey, AIResponseData.cacheAgeKey]
        for (name, value) in response.metadata.sorted(by: { $0.key < $1.key }) where !cacheKeys.contains(name) {
            rows.append(("answer \(name)", value))
        }
        return rows
    }

    private var keptRows: [(String, String?)] {
        guard let kept else { return [] }
        let size = kept.content.body.map { ", \($0.byteCount) bytes" } ?? ""
        let cut = kept.isCut ? ", of which the end is missing" : ""
        return [
            ("unusable answer", "\(kept.mediaType ?? "of no stated type")\(size)\(cut) (write it with --output FILE)")
        ]
    }

    var json: JSONObject {
        var json: JSONObject = [
            "id": snapshot.id.text, "job": snapshot.job?.rawValue, "position": snapshot.position,
            "state": standing.state, "waiting": standing.waitingWord, "until": snapshot.waiting?.until,
            "ahead": ahead, "error": snapshot.error, "provider": snapshot.providerID.rawValue,
            "model": snapshot.model, "parameters": request.parameters, "priority": "\(snapshot.priority)",
            "fromCache": snapshot.isFromCache, "attempts": snapshot.attempts,
            "ifInterrupted": request.unknownOutcome.word, "deadline": snapshot.deadline,
            "createdAt": snapshot.createdAt, "finishedAt": snapshot.finishedAt,
            "supersedes": snapshot.supersedes?.text, "metadata": snapshot.metadata, "tags": snapshot.tags,
            "holder": snapshot.holder.map { ["host": $0.host, "processID": $0.processID] as JSONObject },
        ]
        let kept = content.map { content -> JSONObject in
            [
                "type": content.type, "bytes": content.body?.byteCount, "file": contentFile,
                "metadata": response?.metadata,
            ]
        }
        json.set("content", kept)
        if let unusable = self.kept {
            let fields: JSONObject = [
                "mediaType": unusable.mediaType, "bytes": unusable.content.body?.byteCount, "isCut": unusable.isCut,
            ]
            json.set("unusableAnswer", fields)
        }
        if showsPrompt { json.set("prompt", request.prompt.plainText) }
        return json
    }

    private var ahead: Int? {
        switch snapshot.waiting {
        case .queued(let ahead), .unclaimed(let ahead): ahead
        default: nil
        }
    }
}

extension AIResponseData {
    /// The age in seconds of the cached answer at the time when the request used it; `nil` if the answer was made for
    /// this request.
    var ageInCache: Int? {
        if case .hit(let age)? = cacheUse { age } else { nil }
    }
}

extension RequestDetails {
    /// Returns the fields of `hablare show --json` together with the answer itself.
    ///
    /// - Parameters:
    ///   - usage: The usage of all attempts of the request, if it is more than the usage of the answer alone.
    ///   - showsText: Whether the record has the text of the answer.
    func answerRecord(
        value: ParameterValue? = nil, repairs: Int? = nil, problem: String? = nil, usage: Usage? = nil,
        showsText: Bool = true
    ) async throws -> JSONObject {
        var record = json
        var value = value
        switch response?.result {
        case .success(.text(let body)) where showsText:
            record.set("text", String(decoding: try await body.data(), as: UTF8.self))
        case .success(.structured(let tree)): value = value ?? tree
        default: break
        }
        let toolCalls = try response?.toolCalls ?? []
        if let value { record.set("value", value) }
        if !toolCalls.isEmpty { record.set("toolCalls", toolCalls) }
        if let reason = response?.metadata[AnswerMetadata.finishReason] { record.set("finishReason", reason) }
        if let repairs { record.set("repairs", repairs) }
        if let problem { record.set("problem", problem) }
        if let usage = usage ?? response?.usage {
            record.set("costMicroDollars", usage.costMicroDollars)
            var counts = usage
            counts.costMicroDollars = nil
            record.set("usage", counts)
        }
        return record
    }
}
