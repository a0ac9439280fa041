/// Somebody to see whether others were released: what holds it is gone when it is.
final class Sentinel: Sendable {}

/// An object that may be gone.
struct WeakReference<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
