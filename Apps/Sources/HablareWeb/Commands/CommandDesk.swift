import Foundation
import Hummingbird

/// Runs commands, each id once.
actor CommandDesk {
    private typealias Waiter = AsyncStream<Result<Data, FaceProblem>>.Continuation

    private let commands: Commands
    private let problem: @Sendable (any Error) -> FaceProblem?
    private var ledger: CommandLedger
    private var waiters: [CommandID: [Waiter]] = [:]

    init(_ commands: Commands, problem: @escaping @Sendable (any Error) -> FaceProblem?) {
        self.commands = commands
        self.problem = problem
        ledger = CommandLedger(
            tableSize: commands.tableSize, tableBytes: commands.tableBytes, pending: commands.pending)
    }

    /// Runs a command, or returns the answer that the same id got.
    ///
    /// The first caller's task runs the handler. If that task is cancelled, nothing is recorded, and the waiting callers
    /// get a problem with `retryAfter`.
    func perform(_ name: String, _ body: CommandBody) async throws -> (answer: Data, isRepeated: Bool) {
        guard let entry = commands.entries[name] else { throw FaceProblem(status: .notFound) }
        let id = try body.id()
        switch ledger.arrived(id, fingerprint: try body.fingerprint(of: name)) {
        case .run: return (try await run(entry.handler, body, id), false)
        case .wait: return (try await outcome(of: id), true)
        case .answer(let answer): return (answer, true)
        case .refuseReuse:
            throw FaceProblem(
                .unprocessableContent, code: "idReused", title: "Another command had this id",
                detail: "Make a new id for each command. Repeat a command only with the same fields.")
        case .refuseExcess:
            throw FaceProblem(
                .serviceUnavailable, code: "tooManyCommands", title: "Too many commands at one time",
                detail: "Send the command again in a moment.", retryAfter: .seconds(1))
        }
    }

    private func run(_ handler: Commands.Handler, _ body: CommandBody, _ id: CommandID) async throws -> Data {
        do {
            let answer = try await handler(body, id)
            finish(id, .success(answer))
            return answer
        } catch {
            finish(id, .failure(error is CancellationError ? StateHub.stopping : problem(error) ?? FaceProblem(error)))
            throw error
        }
    }

    private func finish(_ id: CommandID, _ result: Result<Data, FaceProblem>) {
        let answer: Data? = if case .success(let answer) = result { answer } else { nil }
        ledger.finished(id, answer: answer)
        for waiter in waiters.removeValue(forKey: id) ?? [] {
            waiter.yield(result)
            waiter.finish()
        }
    }

    private func outcome(of id: CommandID) async throws -> Data {
        let (results, waiter) = AsyncStream.makeStream(of: Result<Data, FaceProblem>.self)
        waiters[id, default: []].append(waiter)
        defer { ledger.left() }
        for await result in results { return try result.get() }
        throw CancellationError()
    }

    /// The number of recorded answers.
    var recordedCount: Int { ledger.count }
}

extension CommandDesk {
    /// Adds `POST /commands/NAME`.
    nonisolated func addRoutes(to router: Router<FaceContext>, states: StateHub) {
        router.post("/commands/:name") { request, context in
            let name = try context.parameters.require("name")
            let bytes = try await request.body.collect(upTo: context.maxUploadSize)
            let isForm = request.headers[.contentType]?.lowercased().hasPrefix("application/json") == false
            guard isForm, let page = self.commands.entries[name]?.pageAfterForm else {
                let (answer, isRepeated) = try await self.perform(name, .json(Data(bytes.readableBytesView)))
                var change: String?
                if let base = request.headers[.stateBase] { change = await states.change(since: base) }
                return Self.response(to: answer, with: change, isRepeated: isRepeated)
            }
            _ = try await self.perform(name, .form(String(buffer: bytes)))
            return Response(status: .seeOther, headers: [.location: page])
        }
    }

    private static func response(to answer: Data, with change: String?, isRepeated: Bool) -> Response {
        var response = Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: joined(answer, change)))
        if isRepeated { response.headers[.idempotentReplayed] = "true" }
        return response
    }

    /// Adds the change of the state to an answer that is an object.
    static func joined(_ answer: Data, _ change: String?) -> ByteBuffer {
        guard let change, answer.count >= 2, answer.first == UInt8(ascii: "{") else { return ByteBuffer(bytes: answer) }
        var buffer = ByteBuffer(string: "{\"stateChange\":\(change)\(answer.count == 2 ? "" : ",")")
        buffer.writeBytes(answer.dropFirst())
        return buffer
    }
}
