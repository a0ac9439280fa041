import Foundation

extension MemoryTables {
    /// A flight whose answer is in the cache.
    struct CachedFlight: Sendable {
        var usedAt: Date
        let bytes: Int64
    }

    mutating func enterCache(_ flight: FlightID, _ response: AIResponseData) {
        guard case .success(let content) = response.result else { return }
        cached[flight] = CachedFlight(usedAt: response.receivedAt, bytes: content.keptByteCount)
    }

    // MARK: Using

    func cachedAnswer(_ query: CacheQuery) -> CachedAnswer? {
        let answers = (flying[query.fingerprint] ?? []).compactMap { id -> CachedAnswer? in
            guard cached[id] != nil, let flight = flights[id], let response = responses[id],
                query.window.contains(response.receivedAt)
            else { return nil }
            return CachedAnswer(flight: id, response: response.addressed(to: flight.crew.head))
        }
        return answers.max { ($0.response.receivedAt, $0.flight) < ($1.response.receivedAt, $1.flight) }
    }

    /// The newest answer to the work of a submission, if it is young enough. Those that it replaced drop out.
    mutating func cachedAnswer(for submission: Submission) -> CachedAnswer? {
        let answers = (flying[submission.fingerprint] ?? []).compactMap { id -> CachedAnswer? in
            guard cached[id] != nil, let response = responses[id] else { return nil }
            return CachedAnswer(flight: id, response: response)
        }
        let choice = CacheChoice(
            among: answers.map { CacheChoice.Candidate(flight: $0.flight, receivedAt: $0.response.receivedAt) },
            at: submission.createdAt, within: submission.cacheWindow)
        for flight in choice.replaced { cached[flight] = nil }
        return answers.first { $0.flight == choice.chosen?.flight }
    }

    /// A request comes aboard a flight that is over: its answer is the request's.
    mutating func answered(_ submission: Submission, by answer: CachedAnswer) -> WriteReceipt {
        let request = submission.request
        let now = submission.createdAt
        enter(submission, aboard: answer.flight, isCharged: false)
        requests[request.id]?.cacheAge = max(0, now.timeIntervalSince(answer.response.receivedAt))
        flights[answer.flight]?.crew.add(request.id, priority: request.priority, job: submission.job?.key)
        finish(request.id, RequestLifecycle(state: .completed), at: now, error: nil)
        noteUse(of: answer.flight, at: now)
        return .submitted(
            SubmissionReceipt(id: request.id, flight: answer.flight, wasPresent: false, isAnswered: true))
    }

    private mutating func noteUse(of flight: FlightID, at date: Date) {
        guard let entry = cached[flight], entry.usedAt < date else { return }
        cached[flight]?.usedAt = date
    }

    // MARK: Dropping

    mutating func trimCache(
        _ limits: CacheLimits, usedBefore date: Date, noting used: [FlightID: Date], limit: Int
    ) -> WriteReceipt {
        for (flight, date) in used { noteUse(of: flight, at: date) }
        let order = cached.map { (flight: $0.key, entry: $0.value) }
            .sorted { ($0.entry.usedAt, $0.flight) < ($1.entry.usedAt, $1.flight) }
        var excess = CacheExcess(
            limits, count: order.count, bytes: order.reduce(0) { $0 + $1.entry.bytes })
        var count = 0
        for (flight, entry) in order {
            guard count < limit, entry.usedAt < date || excess.isLeft else { break }
            cached[flight] = nil
            excess.dropped(bytes: entry.bytes)
            count += 1
        }
        return .uncached(count)
    }

    mutating func uncache(_ selection: CacheSelection) -> WriteReceipt {
        let chosen = cached.keys.filter { isSelected($0, by: selection) }
        for flight in chosen { cached[flight] = nil }
        return .uncached(chosen.count)
    }

    private func isSelected(_ id: FlightID, by selection: CacheSelection) -> Bool {
        guard let flight = flights[id] else { return false }
        return switch selection {
        case .everything: true
        case .provider(let provider): flight.provider == provider || flight.origin.provider == provider
        case .model(let model, let provider):
            flight.provider == provider && flight.model == model || flight.origin == FallbackHop(provider, model: model)
        case .tag(let tag): ledgerTables.tags[id]?.contains(tag) ?? false
        case .fingerprint(let fingerprint): flight.fingerprint == fingerprint
        case .answer(let answer): id == answer
        }
    }
}
