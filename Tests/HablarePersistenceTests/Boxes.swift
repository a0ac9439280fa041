import Hablare
import HablareSupport

/// Collects values of several threads in order.
final class Said<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func add(_ value: Value) { values.withLock { $0.append(value) } }
}

typealias Answers = Said<Bool>
typealias Failures = Said<String>

extension Said<String> {
    /// Runs a piece of code and records its error.
    func catching(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            add("\(error)")
        }
    }
}
