/// An object that a holder keeps alive. A weak reference to it shows whether the holder was released.
final class Sentinel: Sendable {}

/// A weak reference to an object.
struct WeakReference<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
