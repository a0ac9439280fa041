import Foundation

/// The commands of an app. A page sends a command as `POST /commands/NAME` with a JSON object that holds `id`, a
/// ``CommandID``, and the command's own fields.
///
/// ```swift
/// commands.on("decide", Decision.self) { decision, id in
///     try await model.decide(decision, id: id)  // returns after the commit
/// }
/// ```
///
/// The handler runs on the main actor. Its value is the JSON answer. The page knows then that the act is committed.
///
/// **The answer brings the new state.** A page that follows ``StateStream`` sends the epoch and the revision that it has
/// as the header `State-Base: EPOCH REVISION`. If the answer is an object, it then has one more field, `stateChange`: the
/// message that the stream would send, with everything that the handler has changed. So the page need not wait for the
/// stream. An answer must have no field of this name.
///
/// **The same id twice is one act.** A command that arrives again while the first runs waits for it, and one that
/// arrives later gets the recorded answer. The table is in memory and bounded by ``tableSize`` and ``tableBytes``. So
/// record the id with the act in the app's store as well: a page repeats its unanswered commands after a crash of the
/// server. A handler that throws must have committed nothing: its problem is sent, and the id may be used again.
public struct Commands: Sendable {
    /// The largest number of recorded answers. The oldest is dropped first. Default: 4,096.
    public var tableSize = 4_096
    /// The largest sum of the recorded answers' sizes, in bytes. The oldest is dropped first. Default: 4 MiB.
    public var tableBytes = 4 << 20
    /// The largest number of commands that run or wait at one time. One more gets the status 503 with `Retry-After`.
    /// Default: 64.
    public var pending = 64

    /// The way of a command from a body to an answer.
    typealias Handler = @Sendable (CommandBody, CommandID) async throws -> Data

    struct Entry: Sendable {
        let handler: Handler
        let pageAfterForm: String?
    }

    private(set) var entries: [String: Entry] = [:]

    /// Creates a set without commands.
    public init() {}

    /// The names of the commands.
    package var names: [String] { entries.keys.sorted() }

    /// Returns whether a command takes forms.
    func takesForm(_ name: String) -> Bool { entries[name]?.pageAfterForm != nil }

    /// Adds a command.
    ///
    /// - Parameters:
    ///   - name: The last part of the address, such as `decide`.
    ///   - type: The type of the command's fields. Keys that it does not know, such as `id`, are ignored.
    ///   - pageAfterForm: The address of the page to show after a form, such as `/`. With it, the command also takes
    ///     forms (`application/x-www-form-urlencoded`) of pages without scripts. The form needs a hidden field `id`.
    ///     Without it, only JSON is accepted.
    ///   - handler: Acts, and returns after the commit.
    public mutating func on<Command: Decodable & Sendable, Answer: Encodable & Sendable>(
        _ name: String, _ type: Command.Type, pageAfterForm: String? = nil,
        handler: @escaping @MainActor @Sendable (Command, CommandID) async throws -> Answer
    ) {
        let entry = Entry(
            handler: { body, id in
                let command = try body.decode(Command.self)
                return try CommandBody.encode(await handler(command, id))
            }, pageAfterForm: pageAfterForm)
        precondition(entries.updateValue(entry, forKey: name) == nil, "The command '\(name)' was added twice.")
    }

    /// Adds a command without an answer. The page gets an empty object.
    public mutating func on<Command: Decodable & Sendable>(
        _ name: String, _ type: Command.Type, pageAfterForm: String? = nil,
        handler: @escaping @MainActor @Sendable (Command, CommandID) async throws -> Void
    ) {
        on(name, type, pageAfterForm: pageAfterForm) { (command: Command, id) async throws -> [String: String] in
            try await handler(command, id)
            return [:]
        }
    }
}
