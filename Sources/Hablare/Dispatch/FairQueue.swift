import DequeModule

/// A queue of three classes that are served by deficit round robin 8:4:1, in order of arrival within a class.
///
/// Every element costs one, so a class is served up to its weight, then the next one that has something.
struct FairQueue<Element: Sendable>: Sendable {
    private var classes: [Deque<Element>] = Array(repeating: Deque(), count: Priority.allCases.count)
    private var turn = 0
    private var credit = Priority.high.weight

    private(set) var count = 0
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element, priority: Priority) {
        classes[priority.rawValue].append(element)
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        while credit == 0 || classes[turn].isEmpty {
            turn = (turn + 1) % classes.count
            credit = Priority.allCases[turn].weight
        }
        credit -= 1
        count -= 1
        return classes[turn].popFirst()
    }

    /// Removes the first element that matches, wherever it waits.
    mutating func remove(where matches: (Element) -> Bool) -> Element? {
        for index in classes.indices {
            guard let place = classes[index].firstIndex(where: matches) else { continue }
            count -= 1
            return classes[index].remove(at: place)
        }
        return nil
    }

    mutating func removeAll() -> [Element] {
        let all = classes.flatMap(\.self)
        self = FairQueue()
        return all
    }
}
