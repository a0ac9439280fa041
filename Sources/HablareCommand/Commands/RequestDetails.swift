import Foundation
import Hablare

/// Everything about one request, for people and for programs.
struct RequestDetails: Encodable, Sendable {
    let standing: RequestStanding
    let request: AIRequest
    let response: AIResponseData?
    let showsPrompt: Bool

    var snapshot: RequestSnapshot { standing.snapshot }

    /// Where the content is, when it is in a file.
    private var contentFile: String? { content?.body?.fileURL?.path }

    private var content: ResponseContent? {
        guard case .success(let content)? = response?.result else { return nil }
        return content
    }

    // MARK: For people

    func lines(_ style: Style, at time: LocalTime, work: String) -> [String] {
        var rows: [(String, String)] = [
            ("id", snapshot.id.text),
            ("state", standing.state),
        ]
        if standing.isInterrupted {
            rows.append(("that is", RequestStanding.interruption(of: request, work: work)))
        }
        if let waiting = snapshot.waiting {
            rows.append(("waiting", waiting.sentence(provider: snapshot.providerID, at: time)))
        }
        // Not "held by": a held request is one that nobody works on.
        if let holder = snapshot.holder {
            rows.append((standing.isInterrupted ? "was with" : "with", "process \(holder.processID) on \(holder.host)"))
        }
        if let error = snapshot.error { rows.append(("error", "\(error.words) [\(error.code)]")) }
        if let cause = snapshot.error?.cause { rows.append(("cause", cause)) }
        rows.append(("provider", snapshot.providerID.rawValue))
        if let model = snapshot.model { rows.append(("model", model)) }
        for hop in request.fallback {
            rows.append(("else", hop.provider.rawValue + (hop.model.map { ", model \($0)" } ?? "")))
        }
        for (name, value) in request.parameters.sorted(by: { $0.key < $1.key }) {
            rows.append((name, value.text ?? "…"))
        }
        if let job = snapshot.job { rows.append(("job", job.rawValue)) }
        if !snapshot.tags.isEmpty { rows.append(("tags", snapshot.tags.joined(separator: ", "))) }
        if let position = snapshot.position { rows.append(("place in job", String(position + 1))) }
        rows.append(("priority", "\(snapshot.priority)"))
        rows.append(("attempts", String(snapshot.attempts)))
        if let most = request.maximumAttempts { rows.append(("attempts at most", String(most))) }
        if request.unknownOutcome != .runAgain { rows.append(("if interrupted", request.unknownOutcome.word)) }
        if let deadline = snapshot.deadline { rows.append(("deadline", TimeText.moment(deadline))) }
        rows.append(("created", TimeText.moment(snapshot.createdAt)))
        if let finished = snapshot.finishedAt { rows.append(("finished", TimeText.moment(finished))) }
        if let supersedes = snapshot.supersedes { rows.append(("replaces", supersedes.text)) }
        for (name, value) in snapshot.metadata.sorted(by: { $0.key < $1.key }) { rows.append(("label \(name)", value)) }
        if snapshot.isFromCache {
            rows.append(("answer", response?.ageInCache.map { "from the cache, \($0) s old" } ?? "from the cache"))
        }
        rows += contentRows
        if showsPrompt { rows.append(("prompt", request.prompt.plainText)) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, value in
            style.dim(name + String(repeating: " ", count: width - name.count)) + "  " + style.plain(value)
        }
    }

    private var contentRows: [(String, String)] {
        guard let response else { return [] }
        guard let content else { return [("content", "no longer kept")] }
        var rows = [("content", content.type.rawValue)]
        if let body = content.body { rows.append(("size", "\(body.byteCount) bytes")) }
        rows.append(("content file", contentFile ?? "in the database (write it with --output FILE)"))
        let cacheKeys = response.ageInCache == nil ? [] : [AIResponseData.cacheKey, AIResponseData.cacheAgeKey]
        for (name, value) in response.metadata.sorted(by: { $0.key < $1.key }) where !cacheKeys.contains(name) {
            rows.append(("answer \(name)", value))
        }
        return rows
    }

    // MARK: For programs

    private enum CodingKeys: String, CodingKey {
        case id, job, position, state, waiting, until, ahead, holder, error, provider, model, parameters, priority
        case fromCache, attempts, ifInterrupted, deadline, createdAt, finishedAt, supersedes, metadata, tags, content,
            prompt
    }

    private enum HolderKeys: String, CodingKey {
        case host, processID
    }

    private enum ContentKeys: String, CodingKey {
        case type, bytes, file, metadata
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(snapshot.id.text, forKey: .id)
        try container.encode(snapshot.job?.rawValue, forKey: .job)
        try container.encode(snapshot.position, forKey: .position)
        try container.encode(standing.state, forKey: .state)
        try container.encode(snapshot.waiting?.word, forKey: .waiting)
        try container.encode(snapshot.waiting?.until, forKey: .until)
        try container.encode(ahead, forKey: .ahead)
        try container.encode(snapshot.error, forKey: .error)
        try container.encode(snapshot.providerID.rawValue, forKey: .provider)
        try container.encode(snapshot.model, forKey: .model)
        try container.encode(request.parameters, forKey: .parameters)
        try container.encode("\(snapshot.priority)", forKey: .priority)
        try container.encode(snapshot.isFromCache, forKey: .fromCache)
        try container.encode(snapshot.attempts, forKey: .attempts)
        try container.encode(request.unknownOutcome.word, forKey: .ifInterrupted)
        try container.encode(snapshot.deadline, forKey: .deadline)
        try container.encode(snapshot.createdAt, forKey: .createdAt)
        try container.encode(snapshot.finishedAt, forKey: .finishedAt)
        try container.encode(snapshot.supersedes?.text, forKey: .supersedes)
        try container.encode(snapshot.metadata, forKey: .metadata)
        try container.encode(snapshot.tags, forKey: .tags)
        if showsPrompt { try container.encode(request.prompt.plainText, forKey: .prompt) }
        if let held = snapshot.holder {
            var holder = container.nestedContainer(keyedBy: HolderKeys.self, forKey: .holder)
            try holder.encode(held.host, forKey: .host)
            try holder.encode(held.processID, forKey: .processID)
        } else {
            try container.encodeNil(forKey: .holder)
        }
        guard let content else { return try container.encodeNil(forKey: .content) }
        var nested = container.nestedContainer(keyedBy: ContentKeys.self, forKey: .content)
        try nested.encode(content.type, forKey: .type)
        try nested.encode(content.body?.byteCount, forKey: .bytes)
        try nested.encode(contentFile, forKey: .file)
        try nested.encode(response?.metadata, forKey: .metadata)
    }

    private var ahead: Int? {
        switch snapshot.waiting {
        case .queued(let ahead), .unclaimed(let ahead): ahead
        default: nil
        }
    }
}

extension AIResponseData {
    /// How many seconds old an answer was when its request found it in the cache; `nil` where it was made for it.
    var ageInCache: Int? {
        if case .hit(let age)? = cacheUse { age } else { nil }
    }
}
