import NIOCore

/// Functions for accepted connections that are not served yet.
///
/// The server accepts connections as simple channels that do not read (`.autoRead` is `false`). It converts a channel
/// to an asynchronous channel only when it serves the connection. The reason: an asynchronous channel that is never
/// executed crashes the process. If the server stopped between accepting and serving a connection, it would leave such
/// a channel.
extension Channel {
    /// Converts a channel that does not read to an asynchronous channel, and starts to read.
    ///
    /// The caller must execute the returned channel.
    func readAsync<Wire: Sendable>(
        prepare: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void = { _ in },
        as wrap: @escaping @Sendable (any Channel) throws -> Wire
    ) async throws -> Wire {
        try await eventLoop.submit {
            guard self.isActive else { throw ChannelError.ioOnClosedChannel }
            try prepare(self.pipeline.syncOperations)
            // Set before wrapping, after which nothing can fail.
            try self.syncOptions?.setOption(.autoRead, value: true)
            return try wrap(self)
        }.get()
    }
}
