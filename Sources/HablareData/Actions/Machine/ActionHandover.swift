/// Items of one group that go to the committer together.
struct ActionHandover<Action: QueuedAction>: Sendable {
    let group: Action.Group
    let items: [ActionItem<Action>]
}
