import NIOCore

/// Connections are accepted as bare channels without any read (`.autoRead` false), and become asynchronous channels
/// when they are served. An asynchronous channel that is never executed crashes the process. A server that ends between
/// accepting and serving would leave such channels.
extension Channel {
    /// Turns a channel without any read into an asynchronous channel, and starts reading.
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
