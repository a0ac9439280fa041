/// The items of one group that are passed to the committer in one call.
struct ActionHandover<Action: QueuedAction>: Sendable {
    let group: Action.Group
    let items: [ActionItem<Action>]
}
