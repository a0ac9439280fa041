/// An operation of the user that the app carries out later, such as a swipe, an offline edit or a message to send.
///
/// An action is stored as JSON. A later version of the app must be able to read the JSON that an earlier version wrote.
/// The other properties of this protocol are not stored. Their values must depend only on the action itself.
public protocol QueuedAction: Codable, Sendable {
    /// The type that identifies the groups in which actions are committed, for example the kind of action or the
    /// service that the action calls.
    associatedtype Group: Hashable & Sendable

    /// The group in which the action is committed. Different groups commit concurrently, and each group runs one commit
    /// at a time.
    var group: Group { get }

    /// The object that the action changes, for example a photo, if the order of the actions on it matters.
    ///
    /// Actions with the same subject are carried out one after another, in the order in which they were requested, even
    /// if their groups differ. If one action waits for a retry, later actions of the same subject also wait. Default:
    /// `nil`, for any order.
    var subject: String? { get }

    /// The action that reverts this action after it was carried out. Default: `nil`. If an action has no compensation,
    /// it can be undone only before it is carried out.
    ///
    /// The queue carries the compensation out like an action, in the compensation's own group. Of the compensation's
    /// other properties, the queue reads only ``isNothing``.
    var compensation: Self? { get }

    /// Whether the action has no work. The queue never commits such an action. It is only a step of the undo history.
    /// Default: `false`.
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
