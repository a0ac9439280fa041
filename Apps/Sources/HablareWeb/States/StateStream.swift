public import HablarePresentation

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
/// - The answer to a command brings the state with it: see ``Commands``.
/// - `event: beat` is sent after 15 s without a change, and `event: stopping` before the server ends.
public struct StateStream: Sendable {
    /// The time after which a stream without changes sends a `beat`. Default: 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Takes a state as JSON.
    typealias Report = @Sendable (Result<String, any Error>) -> Void

    /// One feed as a server reads it.
    enum Feed: Sendable {
        /// Returns when the present state of a model is reported.
        case model(update: @Sendable (_ report: @escaping Report) async -> Void)
        /// Reports states until the task is cancelled.
        case states(follow: @Sendable (_ report: @escaping Report) async -> Void)
    }

    /// Makes the feeds. Each server has its own. A feed of a model calls `changed` when there is a state to read.
    private(set) var feeds: [String: @Sendable (_ changed: @escaping @Sendable () -> Void) -> Feed] = [:]

    /// The names of the feeds.
    package var names: [String] { feeds.keys.sorted() }

    /// Creates a stream without feeds.
    public init() {}

    /// Adds a feed of an observable model. The closure is called again after each change of what it read. Changes of
    /// all models within one turn of the main actor are sent as one event.
    ///
    /// - Parameters:
    ///   - name: The name of the field in the page's state.
    ///   - state: Returns the model's state as a value.
    public mutating func feed<State: WebState>(_ name: String, _ state: @escaping @MainActor @Sendable () -> State) {
        add(name) { changed in
            let feed = ObservedFeed(state, changed: changed)
            return .model { await feed.update($0) }
        }
    }

    /// Adds a feed of a model that publishes its states itself, for example `ResourceModel` or `RequestStatusModel`.
    ///
    /// - Parameters:
    ///   - name: The name of the field in the page's state.
    ///   - states: Returns the model's sequence of states, current state first.
    public mutating func feed<State: WebState>(
        _ name: String, of states: @escaping @MainActor @Sendable () -> AsyncStream<State>
    ) {
        add(name) { _ in
            .states { report in
                for await state in await states() {
                    await report(state.result())
                }
            }
        }
    }

    private mutating func add(
        _ name: String, _ feed: @escaping @Sendable (_ changed: @escaping @Sendable () -> Void) -> Feed
    ) {
        precondition(feeds.updateValue(feed, forKey: name) == nil, "The feed '\(name)' was added twice.")
    }
}

extension WebState {
    func result() async -> Result<String, any Error> {
        do { return .success(try await json()) } catch { return .failure(error) }
    }
}
