/// A store in memory for a preview: the records and their observers.
actor PreviewStore<Record: Sendable & Equatable & Identifiable> where Record.ID: Hashable & Sendable {
    private var byID: [Record.ID: Record] = [:]
    private let areInOrder: @Sendable (Record, Record) -> Bool
    private let identify: @Sendable (inout Record, [Record]) -> Void
    private var listeners: [Int: AsyncStream<[Record]>.Continuation] = [:]
    private var listenerCount = 0

    init(
        _ records: [Record], areInOrder: @escaping @Sendable (Record, Record) -> Bool,
        identify: @escaping @Sendable (inout Record, [Record]) -> Void
    ) {
        self.areInOrder = areInOrder
        self.identify = identify
        for record in records { byID[record.id] = record }
    }

    var records: [Record] { byID.values.sorted(by: areInOrder) }

    func record(_ id: Record.ID) -> Record? { byID[id] }

    func save(_ record: Record) -> Record {
        var record = record
        if byID[record.id] == nil { identify(&record, records) }
        let former = byID.updateValue(record, forKey: record.id)
        if former != record { notify() }
        return record
    }

    func delete(_ id: Record.ID) -> Bool {
        guard byID.removeValue(forKey: id) != nil else { return false }
        notify()
        return true
    }

    /// Returns a stream of all records, with an element now and after each change. A slow reader gets only the newest
    /// element.
    func values() -> AsyncStream<[Record]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Record].self, bufferingPolicy: .bufferingNewest(1))
        listenerCount += 1
        listeners[listenerCount] = continuation
        continuation.yield(records)
        return stream
    }

    private func notify() {
        let records = records
        listeners = listeners.filter { _, listener in
            if case .terminated = listener.yield(records) { false } else { true }
        }
    }
}

/// An async sequence of a preview's records, as an observer receives them.
struct PreviewValues<Record: Sendable & Equatable & Identifiable>: AsyncSequence, Sendable
where Record.ID: Hashable & Sendable {
    typealias Failure = any Error

    let store: PreviewStore<Record>

    func makeAsyncIterator() -> Iterator { Iterator(store: store) }

    struct Iterator: AsyncIteratorProtocol {
        let store: PreviewStore<Record>
        private var values: AsyncStream<[Record]>.AsyncIterator?

        init(store: PreviewStore<Record>) { self.store = store }

        mutating func next() async throws -> [Record]? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [Record]? {
            // Starts to listen here, and not when the loop begins, because the store is asked asynchronously.
            var current: AsyncStream<[Record]>.AsyncIterator
            if let values { current = values } else { current = await store.values().makeAsyncIterator() }
            let next = await current.next(isolation: actor)
            values = current
            return next
        }
    }
}
