import HablareSupport

/// Decides which loads have room in a budget. This type is a state machine without I/O.
///
/// Each method handles one event, and has the name of this event. It returns the numbers of the places that get room
/// now, in order.
///
/// These rules hold for any events in any order:
/// - Together, the admitted places have at most the limit, or there is only one of them.
/// - No place overtakes the first waiting one, which is visible if any waiting one is. So a large one gets its turn.
struct LoadBudgetCore: Sendable {
    private struct Place: Sendable {
        var priority: LoadPriority
        /// The bytes that the place has or waits for. `nil` before it asks for room.
        var bytes: Int?
        var isAdmitted = false
    }

    private let limit: Int
    private var places: [Int: Place] = [:]
    private var queue = KeyedHeap<Int, LoadRank>()
    private var lastNumber = 0
    private var lastOrder = 0
    /// The total bytes of the admitted places.
    private(set) var bytes = 0
    /// The number of admitted places.
    private(set) var count = 0

    /// Creates a core.
    ///
    /// - Parameter limit: The maximum total bytes of admitted places.
    init(limit: Int) { self.limit = limit }

    /// The number of places that wait for room.
    var waiting: Int { queue.count }
    /// Whether no place is left.
    var isEmpty: Bool { places.isEmpty }

    /// Records that a load has begun, which may need room later. Returns its number.
    mutating func began(_ priority: LoadPriority) -> Int {
        lastNumber += 1
        places[lastNumber] = Place(priority: priority)
        return lastNumber
    }

    /// Records that a load needs room. A place asks once.
    mutating func asked(_ number: Int, for bytes: Int) -> [Int] {
        guard places[number] != nil else { return [] }
        places[number]?.bytes = max(0, bytes)
        enqueue(number)
        return admitted()
    }

    /// Records that a visible caller joined a load. It comes after the visible loads that wait already.
    mutating func lifted(_ number: Int) -> [Int] {
        guard let place = places[number], place.priority == .preload else { return [] }
        places[number]?.priority = .visible
        guard place.bytes != nil, !place.isAdmitted else { return [] }
        enqueue(number)
        return admitted()
    }

    /// Records that a load has ended or was cancelled. It gives back its room.
    mutating func left(_ number: Int) -> [Int] {
        guard let place = places.removeValue(forKey: number) else { return [] }
        queue.remove(number)
        if place.isAdmitted {
            bytes -= place.bytes ?? 0
            count -= 1
        }
        return admitted()
    }

    private mutating func enqueue(_ number: Int) {
        guard let place = places[number] else { return }
        lastOrder += 1
        queue.set(number, to: LoadRank(priority: place.priority, order: lastOrder))
    }

    private mutating func admitted() -> [Int] {
        var numbers: [Int] = []
        while let number = queue.firstKey(), let bytes = places[number]?.bytes {
            guard count == 0 || bytes <= limit - self.bytes else { break }
            _ = queue.popFirst()
            places[number]?.isAdmitted = true
            self.bytes += bytes
            count += 1
            numbers.append(number)
        }
        return numbers
    }
}
