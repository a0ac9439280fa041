/// An object that shows whether its holder was released.
final class Sentinel: Sendable {}

/// A weak reference to an object.
struct WeakReference<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
