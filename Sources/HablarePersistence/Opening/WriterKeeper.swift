import Dispatch
import GRDB

/// A holder of a writer that releases it on a queue, so that no caller waits.
///
/// The thread that releases the last reference to a pool closes it, with a checkpoint and a sync. That may be the main
/// thread. A property would be released with its owner, so a block of a queue holds the reference instead. The queue is
/// inactive until this object goes. Then the block runs on another thread, does nothing and ends, and the pool goes
/// with it.
final class WriterKeeper: Sendable {
    /// The writer. The block that holds it exists as long as this object.
    unowned let writer: any DatabaseWriter
    private let closing: DispatchQueue

    /// - Parameters:
    ///   - writer: The writer.
    ///   - queue: The queue on which the writer is closed, once this object and all other holders have released it.
    init(_ writer: any DatabaseWriter, closingOn queue: DispatchQueue) {
        self.writer = writer
        closing = DispatchQueue(label: "app.close", attributes: .initiallyInactive, target: queue)
        closing.async { withExtendedLifetime(writer) {} }
    }

    deinit { closing.activate() }
}
