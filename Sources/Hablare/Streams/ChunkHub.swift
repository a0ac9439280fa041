package import Foundation
import HablareSupport
import OrderedCollections

/// A hub between streams and their readers. It knows which attempts stream in this process, and which readers it must
/// wake.
///
/// The hub holds no chunks. A fast reader reads the chunks from the stream itself. A slower reader reads them from the
/// store.
package final class ChunkHub: Sendable {
    private struct Reader: Sendable {
        let request: UUID
        var flight: FlightID?
        let waker: StreamWaker
    }

    private struct State: Sendable {
        var live: [FlightID: AttemptStream] = [:]
        var readers: [Int: Reader] = [:]
        var ofRequest: [UUID: OrderedSet<Int>] = [:]
        var ofFlight: [FlightID: OrderedSet<Int>] = [:]
        var lastReader = 0
        var isShutDown = false
    }

    private let state = Locked(State())

    package init() {}

    // MARK: Readers

    func readerCame(for request: UUID) -> (number: Int, waker: StreamWaker) {
        let waker = StreamWaker()
        let (number, isShutDown) = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(request: request, waker: waker)
            state.ofRequest[request, default: []].append(state.lastReader)
            return (state.lastReader, state.isShutDown)
        }
        if isShutDown { waker.fail(AIServiceError.suspended) }
        return (number, waker)
    }

    /// Subscribes a reader to the flight that produces its answer. If this process executes the flight, returns the
    /// stream of the current attempt.
    func reader(_ number: Int, follows flight: FlightID) -> AttemptStream? {
        state.withLock { state in
            if let old = state.readers[number]?.flight, old != flight { forget(number, of: old, &state) }
            state.readers[number]?.flight = flight
            state.ofFlight[flight, default: []].append(number)
            return state.live[flight]
        }
    }

    func readerLeft(_ number: Int) {
        state.withLock { state in
            guard let reader = state.readers.removeValue(forKey: number) else { return }
            state.ofRequest[reader.request]?.remove(number)
            if state.ofRequest[reader.request]?.isEmpty == true { state.ofRequest[reader.request] = nil }
            if let flight = reader.flight { forget(number, of: flight, &state) }
        }
    }

    private func forget(_ number: Int, of flight: FlightID, _ state: inout State) {
        state.ofFlight[flight]?.remove(number)
        if state.ofFlight[flight]?.isEmpty == true { state.ofFlight[flight] = nil }
    }

    package func hasReaders(of flight: FlightID) -> Bool {
        state.withLock { $0.ofFlight[flight] != nil }
    }

    /// The requests and flights with readers. Their order is the same in every run of a simulation.
    package var read: (requests: [UUID], flights: [FlightID]) {
        state.withLock { state in
            let readers = state.readers.sorted { $0.key < $1.key }.map(\.value)
            return (readers.map(\.request), readers.compactMap(\.flight))
        }
    }

    package func readerCount(of request: UUID) -> Int {
        state.withLock { $0.ofRequest[request]?.count ?? 0 }
    }

    // MARK: Streams

    func live(_ flight: FlightID) -> AttemptStream? {
        state.withLock { $0.live[flight] }
    }

    func began(_ stream: AttemptStream) {
        state.withLock { $0.live[stream.flight] = stream }
        wake(stream.flight, .status)
    }

    func ended(_ stream: AttemptStream) {
        state.withLock { state in
            if state.live[stream.flight] === stream { state.live[stream.flight] = nil }
        }
        wake(stream.flight, .status)
    }

    func chunksCame(of flight: FlightID) { wake(flight, .chunks) }

    func changed(_ flight: FlightID) { wake(flight, .status) }

    private func wake(_ flight: FlightID, _ news: StreamWaker.News) {
        for waker in state.withLock({ wakers($0.ofFlight[flight], $0) }) { waker.wake(news) }
    }

    private func wakers(_ numbers: OrderedSet<Int>?, _ state: State) -> [StreamWaker] {
        numbers?.compactMap { state.readers[$0]?.waker } ?? []
    }

    // MARK: Announcing

    package func statusChanged(of request: UUID) {
        for waker in state.withLock({ wakers($0.ofRequest[request], $0) }) { waker.wake(.status) }
    }

    package func fail(_ request: UUID, with error: any Error) {
        for waker in state.withLock({ wakers($0.ofRequest[request], $0) }) { waker.fail(error) }
    }

    /// Ends the reading of all readers, because the engine has ended and sends no more notifications.
    package func shutDown() {
        let wakers = state.withLock { state -> [StreamWaker] in
            state.isShutDown = true
            return everybody(state)
        }
        for waker in wakers { waker.fail(AIServiceError.suspended) }
    }

    /// Allows reading again after a shutdown.
    package func open() {
        state.withLock { $0.isShutDown = false }
    }

    /// Returns the wakers in order of arrival, so that a simulation wakes readers in the same order.
    private func everybody(_ state: State) -> [StreamWaker] {
        state.readers.sorted { $0.key < $1.key }.map(\.value.waker)
    }
}
