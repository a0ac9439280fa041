/// What the journal keeps of an action, beside the action itself.
struct ActionRecord: Sendable, Hashable {
    let id: ActionID
    /// Its place among all actions of the queue, in the order in which they were appended.
    let number: Int64
    /// Whether the person wants it carried out: false once it is undone.
    var isWanted = true
    var standing = ActionStanding.notApplied
    /// How often it was carried out or taken back.
    var turn = 0
    /// How often it was handed over in this turn.
    var attempt = 0
    /// When it was last asked for, undone or redone, as a place in the queue.
    var position: Int64
    /// Whether it can be undone or redone.
    var isRemembered = true
    /// What the last attempt failed of.
    var failure: String?
    /// Whether it is not tried again by itself.
    var hasGivenUp = false
}
