import Dispatch
import GRDB

/// A holder of a writer. It releases the writer on a queue, so that no caller waits.
///
/// The thread that releases the last reference to a pool also closes the pool, with a checkpoint and a sync. That
/// thread could be the main thread. A property would be released with its owner. Therefore a block of a queue holds the
/// reference. The queue is inactive until this object is released. Then the block runs on another thread, does nothing,
/// and ends. The pool is released with the block.
final class WriterKeeper: Sendable {
    /// The writer. The block that holds the writer exists as long as this object.
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
