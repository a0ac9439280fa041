public import HablarePresentation
import Observation

/// The states that pages follow. Each feed is one top-level field of the state that a page holds.
///
/// ```swift
/// states.feed("card") { model.card }  // any @Observable model on the main actor
/// states.feed("request", of: { requestModel.states() })  // a model of HablarePresentation
/// ```
///
/// `GET /state` returns the whole state, and `GET /events` sends changes as server-sent events:
///
/// ```
/// event: state
/// data: {"epoch":"…","revision":7,"base":6,"state":{"card":{…}}}
/// ```
///
/// - The **epoch** names one run of the server. Revisions of different epochs cannot be compared.
/// - The **revision** grows with each change of any feed.
/// - An event with a **base** holds the fields that changed since the base. An event without one, such as the first,
///   holds the whole state. A page whose revision is not the base asks for the whole state.
/// - A slow reader gets the newest value of each field, and skips the values between. So a stream needs no queue.
/// - `event: beat` is sent after 15 s without a change, and `event: stopping` before the server ends.
public struct StateStream: Sendable {
    /// The time after which a stream without changes sends a `beat`. Default: 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Reads states until the task is cancelled, and reports each as JSON.
    typealias Feed = @Sendable (_ report: @escaping @Sendable (Result<String, any Error>) -> Void) async -> Void

    private(set) var feeds: [String: Feed] = [:]

    /// The names of the feeds.
    package var names: [String] { feeds.keys.sorted() }

    /// Creates a stream without feeds.
    public init() {}

    /// Adds a feed of an observable model. The closure is called again after each change of what it read. Changes
    /// within one turn of the main actor are sent as one.
    ///
    /// - Parameters:
    ///   - name: The name of the field in the page's state.
    ///   - state: Returns the model's state as a value.
    public mutating func feed<State: WebState>(_ name: String, _ state: @escaping @MainActor @Sendable () -> State) {
        add(name) { report in await Self.observe(state, report) }
    }

    /// Adds a feed of a model that publishes its states itself, for example `ResourceModel` or `RequestStatusModel`.
    ///
    /// - Parameters:
    ///   - name: The name of the field in the page's state.
    ///   - states: Returns the model's sequence of states, current state first.
    public mutating func feed<State: WebState>(
        _ name: String, of states: @escaping @MainActor @Sendable () -> AsyncStream<State>
    ) {
        add(name) { report in
            for await state in await states() {
                await report(state.result())
            }
        }
    }

    /// Reports a state, and reports it again after each change of what it read.
    ///
    /// `Observations` would do the same, but crashes here in Swift 6.3 when its task resumes.
    @MainActor
    private static func observe<State: WebState>(
        _ state: @escaping @MainActor @Sendable () -> State,
        _ report: @escaping @Sendable (Result<String, any Error>) -> Void
    ) async {
        while !Task.isCancelled {
            let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            // `onChange` is called before a change. The next turn of the main actor sees its result.
            let present = withObservationTracking {
                state()
            } onChange: {
                change.yield()
            }
            report(await present.result())
            for await _ in changes { break }
        }
    }

    private mutating func add(_ name: String, _ feed: @escaping Feed) {
        precondition(feeds.updateValue(feed, forKey: name) == nil, "The feed '\(name)' was added twice.")
    }
}

extension WebState {
    fileprivate func result() async -> Result<String, any Error> {
        do { return .success(try await json()) } catch { return .failure(error) }
    }
}
