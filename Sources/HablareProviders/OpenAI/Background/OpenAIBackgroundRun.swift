import Foundation
import HTTPTypes
import Hablare
import HablareJSON

/// One attempt at a response that the service makes in the background: begins it, or goes on with the one that an earlier
/// attempt began, and waits for its end.
///
/// The service works on whether somebody is connected or not. So a failure of the way there ends this attempt and no
/// more, and the next one goes on; only where nobody wants the answer any more, or nobody can go on because the store took
/// its name neither at once nor at the end, is the work ended there.
struct OpenAIBackgroundRun: Sendable {
    /// How long leaving the name of the work, and telling the service that nobody wants it, may take.
    private static let farewell = Duration.seconds(5)

    let call: ProviderCall
    let clock: any Clock<Duration>
    let spawner: TaskSpawner
    /// What is asked for beside the answer.
    let query: [(name: String, value: String)]
    var exchange: TextExchange<OpenAIResponsesReader>
    /// What decides.
    private var machine: OpenAIBackgroundMachine

    var service: OpenAIService { exchange.service }
    /// Whether the answer is yielded while it comes.
    var streams: Bool { exchange.form.streams(call.request) }

    init(
        _ call: ProviderCall, exchange: TextExchange<OpenAIResponsesReader>, includesThoughts: Bool,
        clock: any Clock<Duration>, spawner: TaskSpawner
    ) {
        self.call = call
        self.exchange = exchange
        self.clock = clock
        self.spawner = spawner
        query = includesThoughts ? [("include[]", OpenAIResponsesRequest.thoughts)] : []
        machine = OpenAIBackgroundMachine(handle: call.handle, keptBytes: call.keptBytes)
    }

    /// Makes the attempt.
    ///
    /// - Parameter body: What begins the response, where no attempt did before.
    mutating func run(_ body: ParameterValue) async throws(AIServiceError) -> ProviderAnswer {
        do throws(AIServiceError) {
            let beginning = machine.begins(streams: streams)
            guard beginning != .anew else { return try await begin(body) }
            try await saying { call in try await call.resume() }
            switch beginning {
            case .anew, .lost: throw try await lost()
            case .asking(let id): return try await poll(id)
            case .reading(let id, let number):
                if let answer = try await readOn(id, after: number) { return answer }
                return try await poll(id)
            }
        } catch {
            await takeLeave(isStopped: Task.isCancelled || error.code == .cancelled)
            throw error
        }
    }

    private mutating func begin(_ body: ParameterValue) async throws(AIServiceError) -> ProviderAnswer {
        let kinds = ["application/json", "text/event-stream"]
        let request = try ServiceRequest.post(["responses"], json: body, accepts: streams ? kinds.reversed() : kinds)
        let answer = try await service.client.send(request, for: call)
        guard answer.mediaType != "text/event-stream" else { return try await follow(answer) }
        let response = try await answer.object()
        if let whole = try await ended(response, of: answer) { return whole }
        guard let id = machine.work?.id else { throw answer.unreadable("a response under way without a name") }
        try await sleep(for: OpenAIBackgroundMachine.firstPause)
        return try await poll(id)
    }

    // MARK: Asking

    /// Asks for the response until it is over, with growing pauses.
    private mutating func poll(_ id: String) async throws(AIServiceError) -> ProviderAnswer {
        while true {
            guard let (response, answer) = try await look(id) else { throw try await lost() }
            if let whole = try await ended(response, of: answer) { return whole }
            // Says that somebody is at work there, or the stream would be taken for one that is silent.
            if call.isStreaming { try await saying { call in try await call.yield(Data()) } }
            try await sleep(for: machine.nextPause())
        }
    }

    /// The response as it is now; `nil` where the service knows none of that name.
    private func look(_ id: String) async throws(AIServiceError) -> (ParameterValue, ServiceAnswer)? {
        let request = ServiceRequest.get(["responses", id], query: query, alsoTakes: [404], mayBeBilled: true)
        do throws(AIServiceError) {
            let answer = try await service.client.send(request, for: call)
            guard answer.status == 404 else { return (try await answer.object(), answer) }
            // In the service's own words: what stands between it and us may know no path for a moment.
            let body = ParameterValue(lenientJSON: try await answer.data())
            guard OpenAIErrorBody(body: body) != nil else { throw answer.unreadable("status 404") }
            return nil
        } catch {
            throw machine.judged(error)
        }
    }

    /// The answer of a response that is over; `nil` while it is not.
    private mutating func ended(
        _ response: ParameterValue, of answer: ServiceAnswer
    ) async throws(AIServiceError) -> ProviderAnswer? {
        if OpenAIResponsesReader.isUnderWay(response) {
            exchange.reader.read(underWay: response)
            try await remember(hasOutput: exchange.reader.hasBegun)
            return nil
        }
        let text: String
        do throws(TextFault) {
            text = try exchange.reader.read(whole: response)
        } catch {
            throw try await failed(error, of: answer)
        }
        guard streams else { return try exchange.finished(text, of: answer) }
        guard let rest = machine.wholeTextCame(text) else {
            throw machine.judged(answer.unreadable("less text than before"))
        }
        try await yield(rest)
        return try exchange.yielded(of: answer)
    }

    // MARK: Reading the stream

    /// Reads the stream on from the last place of which everything before it is kept.
    ///
    /// - Returns: `nil` where the service does not stream this response, or not any more.
    private mutating func readOn(
        _ id: String, after number: Int64?
    ) async throws(AIServiceError) -> ProviderAnswer? {
        var query = query
        query.append(("stream", "true"))
        if let number { query.append(("starting_after", String(number))) }
        let request = ServiceRequest.get(
            ["responses", id], query: query, accepts: ["text/event-stream", "application/json"],
            alsoTakes: [400, 404], mayBeBilled: true)
        let answer = try await service.client.send(request, for: call)
        guard answer.status < 300, answer.mediaType == "text/event-stream" else { return nil }
        return try await follow(answer)
    }

    /// Yields what the events bring that was not yielded before.
    private mutating func follow(_ answer: ServiceAnswer) async throws(AIServiceError) -> ProviderAnswer {
        var isOver = false
        do throws(AIServiceError) {
            isOver = try await answer.forEachEvent { event in try await take(event, of: answer) }
        } catch {
            // What cannot be read is the stream. The work has a name, and can be asked for.
            throw machine.judged(error)
        }
        guard isOver else { throw answer.brokenOff() }
        return try exchange.yielded(of: answer)
    }

    /// Takes an event; answers whether another one is wanted.
    private mutating func take(_ event: ServerSentEvent, of answer: ServiceAnswer) async throws -> Bool {
        let step: TextStep
        do throws(TextFault) {
            step = try exchange.reader.read(event)
        } catch {
            throw try await failed(error, of: answer)
        }
        try await remember(hasOutput: step == .nothing && exchange.reader.hasBegun)
        let number = exchange.reader.sequenceNumber
        guard machine.eventCame(number) else { return true }
        switch step {
        case .nothing: try await call.yield(Data())
        case .text(let text): try await yield(machine.textCame(text))
        case .end(let rest):
            // Where none of the text came as a piece, the end has all of it.
            if !rest.isEmpty {
                guard let unseen = machine.wholeTextCame(rest) else {
                    throw machine.judged(answer.unreadable("less text than before"))
                }
                try await yield(unseen)
            }
            return false
        }
        machine.eventWasTaken(number)
        return true
    }

    private func yield(_ bytes: Data) async throws(AIServiceError) {
        try await saying { call in try await call.yield(bytes) }
    }

    // MARK: Remembering

    /// Leaves the name of the response for the next attempt, as soon as there is one and before anything is waited for;
    /// and that the model had begun, as soon as it had.
    ///
    /// - Parameter hasOutput: Whether it had, be it without any text.
    private mutating func remember(hasOutput: Bool) async throws(AIServiceError) {
        machine.wasNamed(exchange.reader.answer.id, isInBackground: exchange.reader.isInBackground)
        if hasOutput { machine.outputCame() }
        guard let work = machine.unleft else { return }
        let data = try work.data()
        do throws(AIServiceError) {
            try await saying { call in try await call.remember(data) }
            machine.wasLeft(work)
        } catch {
            // The work is begun and paid for, and the store may be well again with the next event, or when the attempt
            // ends: then it is tried again.
            guard error.category == .storage else { throw error }
        }
    }

    /// Forgets a response of which nothing will come, and says what it failed of.
    private mutating func failed(
        _ fault: TextFault, of answer: ServiceAnswer
    ) async throws(AIServiceError) -> AIServiceError {
        let failure = exchange.failure(fault, of: answer, hasBegun: machine.hasBegun)
        guard exchange.reader.hasFailed else { return machine.judged(failure) }
        try await forget()
        return failure
    }

    /// The service knows the response no more.
    private mutating func lost() async throws(AIServiceError) -> AIServiceError {
        try await forget()
        return .workLost
    }

    private mutating func forget() async throws(AIServiceError) {
        if machine.isGone() { try await saying { call in try await call.forget() } }
    }

    // MARK: Ending

    /// The attempt ends without an answer. Leaves the name of the response where that could not be done before, and ends
    /// the work at the service where nobody will go on with it: nobody wants it, or nobody can know of it, so that the
    /// next attempt would begin it, and pay for it, again beside this one.
    ///
    /// In a task of its own that is waited for, because this one may be cancelled and would send nothing.
    ///
    /// - Parameter isStopped: Whether the attempt was stopped. One that failed is followed by another one.
    private func takeLeave(isStopped: Bool) async {
        guard let work = machine.work, isStopped || machine.unknown != nil else { return }
        let (call, client, clock, unknown) = (call, service.client, clock, machine.unknown)
        let task = spawner.start {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        let isKnown = await Self.leave(unknown, for: call)
                        if isKnown, !isStopped { return }
                        if isKnown, try await call.isWanted() { return }
                        _ = try await client.send(
                            ServiceRequest(.post, ["responses", work.id, "cancel"], accepts: ["application/json"]))
                    } catch {
                        return  // The attempt is over, so there is nobody to be told that the work is not.
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

    /// Leaves the name of a response of which nobody knows.
    ///
    /// - Returns: Whether the next attempt knows of it.
    private static func leave(_ unknown: OpenAIBackgroundHandle?, for call: ProviderCall) async -> Bool {
        guard let unknown else { return true }
        do {
            try await call.remember(try unknown.data())
            return true
        } catch {
            return false  // the store still takes nothing, or the attempt is another's
        }
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
