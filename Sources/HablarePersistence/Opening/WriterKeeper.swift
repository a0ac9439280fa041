import Dispatch
import GRDB

/// A holder of a writer. It releases the writer on a queue, so that no caller has to wait.
///
/// The thread that releases the last reference to a pool also closes the pool, with a checkpoint and a sync. That
/// thread could be the main thread. To prevent this, only a block of an inactive queue holds the writer. When this
/// object is released, it activates the queue. The block then runs on another thread, does nothing, and ends. The
/// writer is released together with the block.
final class WriterKeeper: Sendable {
    /// The writer. The block that keeps the writer alive exists as long as this object.
    unowned let writer: any DatabaseWriter
    private let closing: DispatchQueue

    /// - Parameters:
    ///   - writer: The writer.
    ///   - queue: The queue on which the writer is closed, after this object and all other holders have released it.
    init(_ writer: any DatabaseWriter, closingOn queue: DispatchQueue) {
        self.writer = writer
        closing = DispatchQueue(label: "app.close", attributes: .initiallyInactive, target: queue)
        closing.async { withExtendedLifetime(writer) {} }
    }

    deinit { closing.activate() }
}
