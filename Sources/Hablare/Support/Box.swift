/// A large value in its own heap object. A copy of a box only retains the object, and takes one word in the frame of a
/// suspended task. It does not retain each part of the value.
///
/// A box has value semantics: a change creates a new object with a copy of the whole value. Use it for values that are
/// created once and read often.
package struct Box<Value: Sendable>: Sendable {
    private final class Object: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var object: Object

    package init(_ value: Value) {
        object = Object(value)
    }

    package var value: Value {
        get { object.value }
        set { object = Object(newValue) }
    }
}

extension Box: Equatable where Value: Equatable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.object === rhs.object || lhs.object.value == rhs.object.value
    }
}

extension Box: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(object.value) }
}
