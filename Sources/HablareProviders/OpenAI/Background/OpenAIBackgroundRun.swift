import Foundation
import HTTPTypes
import Hablare

/// One attempt at a response that the service makes in the background: begins it, or goes on with the one that an earlier
/// attempt began, and waits for its end.
///
/// The service works on whether somebody is connected or not. So a failure of the way there ends this attempt and no
/// more, and the next one goes on; only where nobody wants the answer any more is the work ended there.
struct OpenAIBackgroundRun: Sendable {
    /// The pause before the service is asked for the second time; it grows by half with each further one.
    static let firstPause = Duration.seconds(1)
    /// The longest pause.
    static let longestPause = Duration.seconds(20)
    /// How long telling the service that nobody wants its work may take.
    private static let farewell = Duration.seconds(5)

    let call: ProviderCall
    let clock: any Clock<Duration>
    /// What is asked for beside the answer.
    let query: [(name: String, value: String)]
    var exchange: TextExchange<OpenAIResponsesReader>
    var work: OpenAIBackgroundHandle?
    /// What the next attempt would be given; `nil` where this one has not left it anything.
    private var remembered: OpenAIBackgroundHandle?
    /// How many bytes of the text have come, and how many of them are yielded, by this attempt or before.
    private var place = 0
    private var yieldedBytes: Int

    var service: OpenAIService { exchange.service }
    /// Whether the answer is yielded while it comes.
    var streams: Bool { exchange.form.streams(call.request) }

    init(
        _ call: ProviderCall, exchange: TextExchange<OpenAIResponsesReader>, includesThoughts: Bool,
        clock: any Clock<Duration>
    ) {
        self.call = call
        self.exchange = exchange
        self.clock = clock
        query = includesThoughts ? [("include[]", OpenAIResponsesRequest.thoughts)] : []
        yieldedBytes = call.keptBytes
    }

    /// Makes the attempt.
    ///
    /// - Parameter body: What begins the response, where no attempt did before.
    mutating func run(_ body: ParameterValue) async throws(AIServiceError) -> ProviderAnswer {
        do throws(AIServiceError) {
            guard let remembered = call.handle else { return try await begin(body) }
            try await saying { call in try await call.resume() }
            work = OpenAIBackgroundHandle(remembered)
            self.remembered = work
            guard work != nil else { throw try await lost() }
            if streams, let answer = try await readOn() { return answer }
            return try await poll()
        } catch {
            if Task.isCancelled || error.code == .cancelled { await endUnlessWanted() }
            throw error
        }
    }

    private mutating func begin(_ body: ParameterValue) async throws(AIServiceError) -> ProviderAnswer {
        let kinds = ["application/json", "text/event-stream"]
        let request = try ServiceRequest.post(["responses"], json: body, accepts: streams ? kinds.reversed() : kinds)
        let answer = try await service.client.send(request, for: call)
        guard answer.mediaType != "text/event-stream" else { return try await follow(answer, after: nil) }
        guard let response = ParameterValue(json: try await answer.data()), case .object = response else {
            throw answer.unreadable("no JSON object")
        }
        if let whole = try await ended(response, of: answer) { return whole }
        guard work != nil else { throw answer.unreadable("a response under way without a name") }
        try await sleep(for: Self.firstPause)
        return try await poll()
    }

    // MARK: Asking

    /// Asks for the response until it is over, with growing pauses.
    private mutating func poll() async throws(AIServiceError) -> ProviderAnswer {
        var pause = Self.firstPause
        while true {
            guard let (response, answer) = try await look() else { throw try await lost() }
            if let whole = try await ended(response, of: answer) { return whole }
            // Says that somebody is at work there, or the stream would be taken for one that is silent.
            if call.isStreaming { try await saying { call in try await call.yield(Data()) } }
            pause = min(pause * 1.5, Self.longestPause)
            try await sleep(for: pause)
        }
    }

    /// The response as it is now; `nil` where the service knows none of that name.
    private func look() async throws(AIServiceError) -> (ParameterValue, ServiceAnswer)? {
        let request = ServiceRequest.get(
            ["responses", work?.id ?? ""], query: query, alsoTakes: [404], mayBeBilled: true)
        do throws(AIServiceError) {
            let answer = try await service.client.send(request, for: call)
            let data = try await answer.data()
            let value = ParameterValue(json: data)
            if answer.status == 404 {
                // In the service's own words: what stands between it and us may know no path for a moment.
                guard OpenAIErrorBody(body: value) != nil else { throw answer.unreadable("status 404") }
                return nil
            }
            guard let value, case .object = value else { throw answer.unreadable("no JSON object") }
            return (value, answer)
        } catch {
            throw again(error)
        }
    }

    /// What came of asking cannot be read. The work goes on meanwhile, and asking costs nothing: so it is asked again.
    private func again(_ error: AIServiceError) -> AIServiceError {
        guard error.code == .invalidResponse, error.disposition == .fail else { return error }
        return error.disposed(.outcomeUnknown)
    }

    /// The answer of a response that is over; `nil` while it is not.
    private mutating func ended(
        _ response: ParameterValue, of answer: ServiceAnswer
    ) async throws(AIServiceError) -> ProviderAnswer? {
        if OpenAIResponsesReader.isUnderWay(response) {
            exchange.reader.read(underWay: response)
            try await remember()
            return nil
        }
        let text: String
        do throws(TextFault) {
            text = try exchange.reader.read(whole: response)
        } catch {
            throw try await failed(error, of: answer)
        }
        guard streams else { return try exchange.finished(text, of: answer) }
        guard text.utf8.count >= yieldedBytes else { throw again(answer.unreadable("less text than before")) }
        place = 0
        try await take(text)
        return try exchange.yielded(of: answer)
    }

    // MARK: Reading the stream

    /// Reads the stream on from the last place of which everything before it is kept.
    ///
    /// - Returns: `nil` where the service does not stream this response, or not any more.
    private mutating func readOn() async throws(AIServiceError) -> ProviderAnswer? {
        let mark = work?.mark(within: call.keptBytes)
        place = mark?.bytes ?? 0
        var query = query
        query.append(("stream", "true"))
        if let mark { query.append(("starting_after", String(mark.number))) }
        let request = ServiceRequest.get(
            ["responses", work?.id ?? ""], query: query, accepts: ["text/event-stream", "application/json"],
            alsoTakes: [400, 404], mayBeBilled: true)
        let answer = try await service.client.send(request, for: call)
        guard answer.status < 300, answer.mediaType == "text/event-stream" else { return nil }
        return try await follow(answer, after: mark?.number)
    }

    /// Yields what the events bring that was not yielded before.
    ///
    /// - Parameter number: What has come up to this event counts already, should it come again.
    private mutating func follow(
        _ answer: ServiceAnswer, after number: Int64?
    ) async throws(AIServiceError) -> ProviderAnswer {
        var isOver = false
        do throws(AIServiceError) {
            isOver = try await answer.forEachEvent { event in try await take(event, of: answer, after: number) }
        } catch {
            // What cannot be read is the stream. The work has a name, and can be asked for.
            throw work == nil ? error : again(error)
        }
        guard isOver else { throw answer.brokenOff() }
        return try exchange.yielded(of: answer)
    }

    /// Takes an event; answers whether another one is wanted.
    private mutating func take(
        _ event: ServerSentEvent, of answer: ServiceAnswer, after number: Int64?
    ) async throws -> Bool {
        let step: TextStep
        do throws(TextFault) {
            step = try exchange.reader.read(event)
        } catch {
            throw try await failed(error, of: answer)
        }
        try await remember()
        if let number, let last = exchange.reader.sequenceNumber, last <= number { return true }
        switch step {
        case .nothing: try await call.yield(Data())
        case .text(let text): try await take(text)
        case .end(let rest):
            // Where none of the text came as a piece, the end has all of it.
            if !rest.isEmpty {
                place = 0
                try await take(rest)
            }
            return false
        }
        // An event without a number is none to read on from: what it brought would come again.
        if let current = exchange.reader.eventNumber { work?.passed(current, at: place) }
        return true
    }

    /// Yields what of a further piece of the text was not yielded before.
    private mutating func take(_ text: String) async throws(AIServiceError) {
        let bytes = Data(text.utf8)
        let known = max(0, yieldedBytes - place)
        place += bytes.count
        yieldedBytes = max(yieldedBytes, place)
        let rest = Data(bytes.dropFirst(known))
        try await saying { call in try await call.yield(rest) }
    }

    // MARK: Remembering

    /// Leaves the name of the response for the next attempt, as soon as there is one and before anything is waited for.
    private mutating func remember() async throws(AIServiceError) {
        if work == nil, exchange.reader.isInBackground != false, let id = exchange.reader.answer.id {
            work = OpenAIBackgroundHandle(id: id)
        }
        guard let work, work != remembered else { return }
        let data = try work.data()
        do throws(AIServiceError) {
            try await saying { call in try await call.remember(data) }
            remembered = work
        } catch {
            // The work is begun and paid for, and the store may be well again with the next event: then it is tried again.
            guard error.category == .storage else { throw error }
        }
    }

    /// Forgets a response of which nothing will come, and says what it failed of.
    private mutating func failed(
        _ fault: TextFault, of answer: ServiceAnswer
    ) async throws(AIServiceError) -> AIServiceError {
        let failure = exchange.failure(fault, of: answer, hasBegun: yieldedBytes > 0)
        guard exchange.reader.hasFailed else { return work == nil ? failure : again(failure) }
        try await forget()
        return failure
    }

    /// The service knows the response no more.
    private mutating func lost() async throws(AIServiceError) -> AIServiceError {
        try await forget()
        return .workLost
    }

    private mutating func forget() async throws(AIServiceError) {
        let isKnown = call.handle != nil || remembered != nil
        work = nil
        remembered = nil
        if isKnown { try await saying { call in try await call.forget() } }
    }

    // MARK: Ending

    /// Ends the work at the service, where nobody will go on with it.
    ///
    /// In a task of its own that is waited for, because this one is cancelled and would send nothing.
    private func endUnlessWanted() async {
        guard let id = work?.id else { return }
        let (call, client, clock) = (call, service.client, clock)
        let task = TaskSpawner(executor: nil).start {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        guard try await !call.isWanted() else { return }
                        _ = try await client.send(
                            ServiceRequest(.post, ["responses", id, "cancel"], accepts: ["application/json"]))
                    } catch {
                        return  // The request is over, so there is nobody to be told that the work is not.
                    }
                }
                group.addTask {
                    do { try await clock.sleep(for: Self.farewell) } catch { return }  // it was told in time
                }
                await group.next()
                group.cancelAll()
            }
        }
        await task.value
    }

    // MARK: Errors

    private func sleep(for pause: Duration) async throws(AIServiceError) {
        try await saying { [clock] _ in try await clock.sleep(for: pause) }
    }

    /// Says something to the engine; what it throws is the engine's error.
    private func saying(_ word: (ProviderCall) async throws -> Void) async throws(AIServiceError) {
        do {
            try await word(call)
        } catch {
            throw ServiceClient.failure(error, of: service.dialect.name, at: service.address.origin, hiding: nil)
        }
    }
}
