import Foundation
import HTTPTypes
import Hablare
import HablareJSON

/// One attempt at a background response. It starts the response, or resumes the response that an earlier attempt
/// started. It then waits for the response's end.
///
/// If the connection is lost, the service continues its work. So a connection failure ends only this attempt, and the
/// next attempt resumes the response. The attempt cancels the work at the service in two cases:
///
/// - The request no longer needs the answer.
/// - The resume handle still cannot be stored when the attempt ends. No later attempt could then resume the response.
struct OpenAIBackgroundRun: Sendable {
    /// The time limit for storing the resume handle and cancelling the response at the end of the attempt.
    private static let farewell = Duration.seconds(5)

    let call: ProviderCall
    let clock: any Clock<Duration>
    let spawner: TaskSpawner
    /// Additional fields to request with the answer.
    let query: [(name: String, value: String)]
    var exchange: TextExchange<OpenAIResponsesReader>
    /// The state machine that decides what to do.
    private var machine: OpenAIBackgroundMachine

    var service: OpenAIService { exchange.service }
    /// Whether the attempt yields the answer as it arrives.
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

    /// Runs the attempt.
    ///
    /// - Parameter body: The body of the call that starts the response. It is used if no earlier attempt started the
    ///   response.
    mutating func run(_ body: ParameterValue) async throws(AIServiceError) -> ProviderAnswer {
        do throws(AIServiceError) {
            let beginning = machine.begins(streams: streams)
            guard beginning != .restart else { return try await begin(body) }
            try await saying { call in try await call.resume() }
            switch beginning {
            case .restart, .lost: throw try await lost()
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
        guard let id = machine.work?.id else { throw answer.unreadable("a running response without an id") }
        try await sleep(for: OpenAIBackgroundMachine.firstPause)
        return try await poll(id)
    }

    // MARK: Polling

    /// Polls the response until it ends. The pauses between two polls become longer.
    private mutating func poll(_ id: String) async throws(AIServiceError) -> ProviderAnswer {
        while true {
            guard let (response, answer) = try await look(id) else { throw try await lost() }
            if let whole = try await ended(response, of: answer) { return whole }
            // Shows that the response is in progress; otherwise the engine would treat the stream as silent.
            if call.isStreaming { try await saying { call in try await call.yield(Data()) } }
            try await sleep(for: machine.nextPause())
        }
    }

    /// Returns the response's current state; `nil` if the service does not know the id.
    private func look(_ id: String) async throws(AIServiceError) -> (ParameterValue, ServiceAnswer)? {
        let request = ServiceRequest.get(["responses", id], query: query, alsoTakes: [404], mayBeBilled: true)
        do throws(AIServiceError) {
            let answer = try await service.client.send(request, for: call)
            guard answer.status == 404 else { return (try await answer.object(), answer) }
            // Only the service's own error counts: a gateway in between may answer 404 for a moment.
            let body = ParameterValue(lenientJSON: try await answer.data())
            guard OpenAIErrorBody(body: body) != nil else { throw answer.unreadable("status 404") }
            return nil
        } catch {
            throw machine.judged(error)
        }
    }

    /// Returns the answer of a response that has ended; `nil` while the response is in progress.
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
        guard let remainder = machine.wholeTextCame(text) else {
            throw machine.judged(answer.unreadable("less text than before"))
        }
        try await yield(remainder)
        return try exchange.yielded(of: answer)
    }

    // MARK: Reading the stream

    /// Resumes the stream from the last mark before which all text is stored.
    ///
    /// - Returns: The answer; `nil` if the service does not stream this response, or no longer streams it.
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

    /// Yields the text of the events, except the part that was yielded before.
    private mutating func follow(_ answer: ServiceAnswer) async throws(AIServiceError) -> ProviderAnswer {
        var isOver = false
        do throws(AIServiceError) {
            isOver = try await answer.forEachEvent { event in try await take(event, of: answer) }
        } catch {
            // Only the stream cannot be read. The response has an id and can be polled.
            throw machine.judged(error)
        }
        guard isOver else { throw answer.brokenOff() }
        return try exchange.yielded(of: answer)
    }

    /// Handles an event. Returns whether to read another event.
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
        case .end(let remainder):
            // If no text arrived in pieces, the end has all of it.
            if !remainder.isEmpty {
                guard let unseen = machine.wholeTextCame(remainder) else {
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

    // MARK: Storing the handle

    /// Stores the response's resume handle for the next attempt as soon as the response has an id, before any wait.
    /// Also stores whether the model has begun.
    ///
    /// - Parameter hasOutput: Whether the model has produced output, with or without text.
    private mutating func remember(hasOutput: Bool) async throws(AIServiceError) {
        machine.wasNamed(exchange.reader.answer.id, isInBackground: exchange.reader.isInBackground)
        if hasOutput { machine.outputCame() }
        guard let work = machine.unleft else { return }
        let data = try work.data()
        do throws(AIServiceError) {
            try await saying { call in try await call.remember(data) }
            machine.wasLeft(work)
        } catch {
            // The work has started and is billed. The store may recover, so the next event, or the end of the attempt,
            // stores the handle.
            guard error.category == .storage else { throw error }
        }
    }

    /// Removes the resume handle if the service's response has failed and can no longer give an answer. Returns the
    /// failure.
    private mutating func failed(
        _ fault: TextFault, of answer: ServiceAnswer
    ) async throws(AIServiceError) -> AIServiceError {
        let failure = exchange.failure(fault, of: answer, hasBegun: machine.hasBegun)
        guard exchange.reader.hasFailed else { return machine.judged(failure) }
        try await forget()
        return failure
    }

    /// Returns the error for a response that the service no longer knows.
    private mutating func lost() async throws(AIServiceError) -> AIServiceError {
        try await forget()
        return .workLost
    }

    private mutating func forget() async throws(AIServiceError) {
        if machine.isGone() { try await saying { call in try await call.forget() } }
    }

    // MARK: Ending

    /// Ends an attempt that has no answer. If the resume handle could not be stored before, tries again. Cancels the
    /// response at the service in two cases: the request is no longer wanted, or the resume handle cannot be stored. In
    /// the second case, the next attempt will start the work again and pay for it, so this work is not needed.
    ///
    /// The work runs in a separate task, because the current task may be cancelled and could then send nothing. The
    /// method awaits that task.
    ///
    /// - Parameter isStopped: Whether the attempt was stopped. If it failed instead, another attempt follows.
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
                        return  // The attempt is over, and no caller could handle this error.
                    }
                }
                group.addTask {
                    do { try await clock.sleep(for: Self.farewell) } catch { return }  // finished in time
                }
                await group.next()
                group.cancelAll()
            }
        }
        await task.value
    }

    /// Stores the resume handle of a response that no later attempt could find without it.
    ///
    /// - Returns: Whether the next attempt can find the response.
    private static func leave(_ unknown: OpenAIBackgroundHandle?, for call: ProviderCall) async -> Bool {
        guard let unknown else { return true }
        do {
            try await call.remember(try unknown.data())
            return true
        } catch {
            return false  // the store still fails, or another attempt has taken over
        }
    }

    // MARK: Errors

    private func sleep(for pause: Duration) async throws(AIServiceError) {
        try await saying { [clock] _ in try await clock.sleep(for: pause) }
    }

    /// Runs a closure that calls the engine. Any error that the closure throws is an error of the engine.
    private func saying(_ word: (ProviderCall) async throws -> Void) async throws(AIServiceError) {
        do {
            try await word(call)
        } catch {
            throw ServiceClient.failure(error, of: service.dialect.name, at: service.address.origin, hiding: [])
        }
    }
}
