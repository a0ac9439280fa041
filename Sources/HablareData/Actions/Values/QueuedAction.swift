/// An operation of the user that the app carries out later, such as a swipe, an offline edit or a message to send.
///
/// An action is stored as JSON, so a later version of the app must be able to read what an earlier version wrote. The
/// queue reads all other properties when it needs them, and they must depend on the value alone.
public protocol QueuedAction: Codable, Sendable {
    /// The type of the groups in which actions are committed, for example the kind of action or the service that it
    /// calls.
    associatedtype Group: Hashable & Sendable

    /// The group in which the action is committed. Different groups commit concurrently, and each group runs one commit
    /// at a time.
    var group: Group { get }

    /// The object of the action, such as a photo or a verse, if order matters.
    ///
    /// Actions with the same subject are carried out one after another, in the order of the requests and across groups.
    /// If one waits for a retry, the ones behind it wait, too. Default `nil`: in any order.
    var subject: String? { get }

    /// The action that reverts this one after it was carried out. Default `nil`: then the action can be undone only
    /// before it is carried out.
    ///
    /// The compensation is carried out as an action of its own group. The queue reads only its ``group`` and
    /// ``isNothing``.
    var compensation: Self? { get }

    /// Whether there is nothing to carry out. Such an action is a step of the undo history, and is never committed.
    /// Default `false`.
    var isNothing: Bool { get }
}

extension QueuedAction {
    /// No subject: order does not matter.
    public var subject: String? { nil }
    /// No compensation: the action cannot be undone after it was carried out.
    public var compensation: Self? { nil }
    /// `false`: there is work to carry out.
    public var isNothing: Bool { false }
}
