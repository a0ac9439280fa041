import Dispatch
import GRDB

/// Holds a writer, and lets it go where nobody waits for that.
///
/// Whoever gives up the last reference to a pool closes it: a checkpoint and a sync, on that thread, which may be the main
/// one. So the reference is not a property, which would be given up with its owner, but what a block of a queue holds that
/// does not run before this goes. The block runs elsewhere, does nothing, and ends, and with it the pool.
final class WriterKeeper: Sendable {
    /// The writer. As long as this is there, so is the block that holds it.
    unowned let writer: any DatabaseWriter
    private let closing: DispatchQueue

    /// - Parameters:
    ///   - writer: The writer.
    ///   - queue: Where it is closed when this, and everybody else who holds it, has let it go.
    init(_ writer: any DatabaseWriter, closingOn queue: DispatchQueue) {
        self.writer = writer
        closing = DispatchQueue(label: "app.close", attributes: .initiallyInactive, target: queue)
        closing.async { withExtendedLifetime(writer) {} }
    }

    deinit { closing.activate() }
}
