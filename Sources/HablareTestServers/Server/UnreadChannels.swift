import NIOCore

/// Connections are accepted as bare channels of which nothing is read yet (`.autoRead` false), and become asynchronous
/// ones where they are served: an asynchronous channel that nobody executes ends the process, and a server that is ended
/// between the two has accepted some that nobody will.
extension Channel {
    /// Makes an asynchronous channel of one that was not read from, which is read from now on.
    ///
    /// What is returned has to be executed.
    func readAsync<Wire: Sendable>(
        prepare: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void = { _ in },
        as wrap: @escaping @Sendable (any Channel) throws -> Wire
    ) async throws -> Wire {
        try await eventLoop.submit {
            guard self.isActive else { throw ChannelError.ioOnClosedChannel }
            try prepare(self.pipeline.syncOperations)
            // Before it is wrapped: nothing fails afterwards.
            try self.syncOptions?.setOption(.autoRead, value: true)
            return try wrap(self)
        }.get()
    }
}
