/// A large value in an object of its own, for what passes through many hands: a copy retains one object and not each of
/// the value's parts, and in the frame of a suspended task it takes one word.
///
/// A value still: whoever changes it gets an object of its own. Made for what is made once and read often, because every
/// change copies all of it.
package struct Boxed<Value: Sendable>: Sendable {
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

extension Boxed: Equatable where Value: Equatable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.object === rhs.object || lhs.object.value == rhs.object.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(object.value) }
}
