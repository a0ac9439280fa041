import NIOCore

/// Connections are accepted as simple channels that do not read (`.autoRead` is `false`). They become asynchronous
/// channels when they are served. This order is necessary, because an asynchronous channel that is never executed
/// crashes the process. Otherwise a server that stops after it has accepted a connection and before it serves the
/// connection would leave such a channel.
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
