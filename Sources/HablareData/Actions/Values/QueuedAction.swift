/// What a person does and an app carries out later: a swipe, an edit made offline, a message to be sent.
///
/// An action is a value that is kept as JSON, so a later version of the app has to read what an earlier one wrote.
/// Everything else is asked of the value when it is needed, and has to follow from it alone.
public protocol QueuedAction: Codable, Sendable {
    /// What actions are committed together by: their kind, the service they go to.
    associatedtype Group: Hashable & Sendable

    /// The group this is committed in. Groups are committed side by side; of one group, one commit runs at a time.
    var group: Group { get }

    /// What this is done to, where order matters: a photo, a verse. Actions with the same subject are carried out one
    /// after another in the order in which they were asked for, over all groups; while one is to be tried again, the ones
    /// behind it wait. Default `nil`: in any order.
    var subject: String? { get }

    /// What takes this back after it was carried out. Default `nil`: it cannot be undone then, but still before.
    ///
    /// It is carried out as an action of its own group. Only ``group`` and ``isNothing`` are asked of it.
    var compensation: Self? { get }

    /// Whether there is nothing to carry out: it is a step of the undo history, and is never committed. Default `false`.
    var isNothing: Bool { get }
}

extension QueuedAction {
    /// None: order does not matter.
    public var subject: String? { nil }
    /// None: it cannot be undone after it was carried out.
    public var compensation: Self? { nil }
    /// There is something to carry out.
    public var isNothing: Bool { false }
}
