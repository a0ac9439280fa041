import DequeModule

/// A queue with three priorities. If all have elements, they are served 8 : 4 : 1 (deficit round robin). Elements of
/// the same priority are served in order of arrival.
///
/// Every element costs 1. In one round, a priority is served as often as its weight says. Then the next priority that
/// has an element is served.
struct FairQueue<Element: Sendable>: Sendable {
    private var classes: [Deque<Element>] = Array(repeating: Deque(), count: Priority.allCases.count)
    private var current = 0
    private var credit = Priority.high.weight

    private(set) var count = 0
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element, priority: Priority) {
        classes[priority.rawValue].append(element)
        count += 1
    }

    var first: Element? {
        mutating get {
            guard count > 0 else { return nil }
            advance()
            return classes[current].first
        }
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        advance()
        credit -= 1
        count -= 1
        return classes[current].popFirst()
    }

    func prefix(_ length: Int) -> [Element] {
        var copy = Preview(classes: classes.map(\.count), current: current, credit: credit)
        return (0..<max(0, min(length, count))).map { _ in
            let (current, index) = copy.next()
            return classes[current][index]
        }
    }

    /// Moves on to the priority that is served next. Call this method only if the queue has an element.
    private mutating func advance() {
        while credit == 0 || classes[current].isEmpty {
            current = (current + 1) % classes.count
            credit = Priority.allCases[current].weight
        }
    }

    /// A copy of the rounds that counts elements without removing them.
    private struct Preview {
        var classes: [Int]
        var current: Int
        var credit: Int
        var taken = Array(repeating: 0, count: Priority.allCases.count)

        mutating func next() -> (current: Int, index: Int) {
            while credit == 0 || taken[current] == classes[current] {
                current = (current + 1) % classes.count
                credit = Priority.allCases[current].weight
            }
            credit -= 1
            defer { taken[current] += 1 }
            return (current, taken[current])
        }
    }

    mutating func remove(where matches: (Element) -> Bool) -> Element? {
        for index in classes.indices {
            guard let position = classes[index].firstIndex(where: matches) else { continue }
            count -= 1
            return classes[index].remove(at: position)
        }
        return nil
    }

    /// Moves the first matching element to the end of a more urgent priority. If the element already has this priority
    /// or a higher priority, it keeps its place.
    ///
    /// - Returns: Whether an element matches.
    mutating func raise(to priority: Priority, where matches: (Element) -> Bool) -> Bool {
        for index in classes.indices {
            guard let position = classes[index].firstIndex(where: matches) else { continue }
            if priority.rawValue < index {
                classes[priority.rawValue].append(classes[index].remove(at: position))
            }
            return true
        }
        return false
    }

    mutating func removeAll() -> [Element] {
        let all = classes.flatMap(\.self)
        self = FairQueue()
        return all
    }
}
