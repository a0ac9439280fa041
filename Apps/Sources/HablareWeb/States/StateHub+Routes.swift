import HTTPTypes
import Hummingbird
import NIOCore

extension StateHub {
    /// Adds `GET /state` and `GET /events`.
    func addRoutes(to router: Router<FaceContext>, connections: ConnectionRegistry) {
        router.get("/state") { _, _ in
            guard let state = await self.wholeState() else { throw Self.stopping }
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: state)))
        }
        router.head("/events") { _, _ in Response(status: .ok, headers: Self.headers) }
        router.get("/events") { _, context in
            guard !self.isStopped else { throw Self.stopping }
            guard let listener = self.listen() else { throw Self.tooManyStreams }
            let registration = connections.whenClosed(context.channel) { listener.end() }
            return Response(
                status: .ok, headers: Self.headers,
                body: ResponseBody { writer in
                    try await self.write(to: &writer, as: listener)
                    registration.cancel()
                    try await writer.finish(nil)
                })
        }
    }

    /// Writes events until the listener ends. The writer suspends while the client's buffer is full. After that, the
    /// client gets the newest state.
    @concurrent func write(to writer: inout any ResponseBodyWriter, as listener: StateListener) async throws {
        var base: Int?
        for await wake in listener.wakes {
            if let message = message(since: base) {
                try await writer.write(ByteBuffer(string: "event: state\ndata: \(message.text)\n\n"))
                base = message.revision
            } else if wake == .beat {
                try await writer.write(ByteBuffer(string: "event: beat\ndata: {}\n\n"))
            }
        }
        if isStopped {
            try await writer.write(ByteBuffer(string: "event: stopping\ndata: {}\n\n"))
        }
    }

    private static let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]

    static let stopping = FaceProblem(
        .serviceUnavailable, code: "stopping", title: "The program is stopping",
        detail: "Start it again. Open pages reconnect by themselves.", retryAfter: .seconds(1))
    private static let tooManyStreams = FaceProblem(
        .serviceUnavailable, code: "tooManyStreams", title: "Too many pages are open",
        detail: "Close pages of this program in other browsers, then reload.", retryAfter: .seconds(5))
}
