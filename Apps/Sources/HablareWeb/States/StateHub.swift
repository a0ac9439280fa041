import Logging
import Synchronization

/// The newest value of every feed, and the listeners that follow them. A listener has a cursor and no queue.
final class StateHub: Sendable {
    enum Wake: Sendable {
        case change
        case beat
    }

    private struct Field {
        var json: String?
        var revision = 0
    }

    private struct State {
        var revision = 0
        var fields: [String: Field] = [:]
        var unreported: Set<String>
        /// Whether there is something to read that no listener was woken for.
        var hasNews = false
        var listeners: [Int: AsyncStream<Wake>.Continuation] = [:]
        var nextListener = 0
        var isStopped = false
    }

    private let epoch: String
    private let heartbeat: Duration
    private let feeds: [String: StateStream.Feed]
    private let limit: Int
    private let logger: Logger
    private let state: Mutex<State>
    private let changes: AsyncStream<Void>

    init(_ stream: StateStream, epoch: String, limit: Int, logger: Logger) {
        heartbeat = stream.heartbeat
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        feeds = stream.feeds.mapValues { $0 { change.yield() } }
        change.yield()
        self.changes = changes
        self.epoch = epoch
        self.limit = limit
        self.logger = logger
        state = Mutex(State(unreported: Set(stream.feeds.keys)))
    }

    /// Reads all feeds and sends beats until the task is cancelled.
    func run(_ clock: FaceClock) async {
        await withDiscardingTaskGroup { group in
            for case (let name, .states(let follow)) in feeds {
                group.addTask {
                    await follow {
                        self.report($0, of: name)
                        self.wakeForNews()
                    }
                }
            }
            group.addTask {
                for await _ in self.changes { await self.update() }
            }
            do {
                while true {
                    try await clock.sleep(heartbeat)
                    wake(.beat)
                }
            } catch {
                group.cancelAll()  // the clock throws only when the task is cancelled
            }
        }
    }

    /// Ends all listeners, and refuses new ones.
    func stop() {
        let listeners = state.withLock { state in
            state.isStopped = true
            return state.listeners.values
        }
        for listener in listeners { listener.finish() }
    }

    /// Whether the server is about to end.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The number of listeners.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    // MARK: Feeds

    private func report(_ result: Result<String, any Error>, of name: String) {
        var json: String?
        do {
            json = try result.get()
        } catch {
            logger.error("State cannot be encoded", metadata: ["feed": "\(name)", "error": "\(error)"])
        }
        state.withLock { state in
            if state.unreported.remove(name) != nil, state.unreported.isEmpty { state.hasNews = true }
            guard let json, json != state.fields[name]?.json else { return }
            state.revision += 1
            state.fields[name] = Field(json: json, revision: state.revision)
            state.hasNews = true
        }
    }

    /// Reads all models that have changed. Listeners are woken once, when all have reported: a page shows what belongs
    /// together in one frame.
    private func update() async {
        await withDiscardingTaskGroup { group in
            for case (let name, .model(let update)) in feeds {
                group.addTask { await update { self.report($0, of: name) } }
            }
        }
        wakeForNews()
    }

    private func wakeForNews() {
        let listeners = state.withLock { state -> [AsyncStream<Wake>.Continuation] in
            defer { state.hasNews = false }
            return state.hasNews ? Array(state.listeners.values) : []
        }
        for listener in listeners { listener.yield(.change) }
    }

    private func wake(_ wake: Wake) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(wake) }
    }

    // MARK: Listeners

    /// Returns a new listener, or `nil` if there are as many as allowed. Its first wake comes at once.
    func listen(isBounded: Bool = true) -> StateListener? {
        let (wakes, continuation) = AsyncStream.makeStream(of: Wake.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isStopped, !isBounded || state.listeners.count < limit else { return nil }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        guard let number else { return nil }
        continuation.yield(.change)
        return StateListener(wakes: wakes, end: { continuation.finish() }) { [self] in
            state.withLock { $0.listeners[number] = nil }
        }
    }

    /// Returns the fields that changed after a revision, with the newest revision. Returns `nil` if none changed, or if
    /// a feed has not reported its first state yet.
    ///
    /// - Parameter base: The revision that the reader has. `nil` asks for the whole state.
    func message(since base: Int?) -> (text: String, revision: Int)? {
        state.withLock { state in
            guard state.unreported.isEmpty, base.map({ $0 < state.revision }) ?? true else { return nil }
            let fields = state.fields.filter { $0.value.revision > base ?? 0 }.sorted { $0.key < $1.key }
                .compactMap { name, field in field.json.map { "\(Self.quoted(name)):\($0)" } }
            let start = "{\"epoch\":\(Self.quoted(epoch)),\"revision\":\(state.revision)"
            let middle = base.map { ",\"base\":\($0)" } ?? ""
            return (start + middle + ",\"state\":{" + fields.joined(separator: ",") + "}}", state.revision)
        }
    }

    /// Returns the fields that changed since the state of a page, after everything that has happened before this call.
    /// Returns `nil` if nothing changed, or if the page has the state of another run of the server.
    ///
    /// - Parameter base: The epoch and the revision that the page has, with a space between.
    func change(since base: String) async -> String? {
        let parts = base.split(separator: " ")
        guard parts.count == 2, parts[0] == epoch, let revision = Int(parts[1]), revision >= 0 else { return nil }
        await update()
        return message(since: revision)?.text
    }

    /// Waits until all feeds have reported, and returns the whole state, after everything that has happened before this
    /// call. Returns `nil` if the server ends first.
    func wholeState() async -> String? {
        await update()
        if let message = message(since: nil) { return message.text }
        guard let listener = listen(isBounded: false) else { return nil }
        for await _ in listener.wakes {
            if let message = message(since: nil) { return message.text }
        }
        return nil
    }

    /// Returns a name as JSON. Names are the program's own.
    private static func quoted(_ name: String) -> String {
        let isPlain = !name.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }
        if isPlain { return "\"\(name)\"" }
        return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// A reader's place in the stream. It leaves when this object is released.
final class StateListener: Sendable {
    let wakes: AsyncStream<StateHub.Wake>
    /// Ends the wakes.
    let end: @Sendable () -> Void
    private let leave: @Sendable () -> Void

    init(wakes: AsyncStream<StateHub.Wake>, end: @escaping @Sendable () -> Void, leave: @escaping @Sendable () -> Void)
    {
        self.wakes = wakes
        self.end = end
        self.leave = leave
    }

    deinit { leave() }
}
