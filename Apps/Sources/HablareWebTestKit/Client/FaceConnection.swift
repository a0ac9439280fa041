import HTTPTypes
import NIOCore

/// The parts of a body, while they arrive. The body may never end.
typealias FaceBody = AsyncThrowingStream<ByteBuffer, any Error>

/// A way to send one request and to read its response while it arrives.
protocol FaceConnection: Sendable {
    /// The host and port to name in requests.
    var authority: String { get }
    func send(_ request: HTTPRequest, body: ByteBuffer?) async throws -> (head: HTTPResponse, body: FaceBody)
}

/// The owner of the tasks that read bodies.
struct BodyReaders: Sendable {
    private let jobs: AsyncStream<@Sendable () async -> Void>.Continuation

    /// Gives an operation its readers. They are cancelled when the operation ends.
    static func with<Value: Sendable>(
        _ operation: @escaping @Sendable (BodyReaders) async throws -> Value
    ) async throws -> Value {
        let (stream, jobs) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { running in
                    for await job in stream { running.addTask { await job() } }
                    running.cancelAll()
                }
                return nil
            }
            group.addTask { try await operation(BodyReaders(jobs: jobs)) }
            defer {
                jobs.finish()
                group.cancelAll()
            }
            while let value = try await group.next() {
                guard let value else { continue }
                return value
            }
            throw CancellationError()
        }
    }

    /// Returns a body whose parts a task of its own delivers. The task is cancelled when no reader is left.
    func body(
        _ deliver: @escaping @Sendable (FaceBody.Continuation) async throws -> Void
    ) -> FaceBody {
        let (body, parts) = FaceBody.makeStream()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        parts.onTermination = { _ in end.finish() }
        jobs.yield {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await deliver(parts)
                        parts.finish()
                    } catch {
                        parts.finish(throwing: error)
                    }
                }
                group.addTask { for await _ in ends {} }
                await group.next()
                group.cancelAll()
            }
        }
        return body
    }
}
