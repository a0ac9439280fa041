import Foundation

/// A thread that runs until the process ends. Unlike Foundation's, it says whether it was started.
enum WorkerThread {
    /// Carries the body to the thread.
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread. Returns false if the system has no memory or no number for it; the body does not run then.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        guard error == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
