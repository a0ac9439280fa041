import HablareData

/// The action type of these tests.
struct Swipe: QueuedAction, Hashable {
    var name: Int
    var group = "trash"
    var subject: String?
    var canBeTakenBack = true
    var isNothing = false
    var takesBack = false

    init(
        _ name: Int, group: String = "trash", subject: String? = nil, canBeTakenBack: Bool = true,
        isNothing: Bool = false
    ) {
        self.name = name
        self.group = group
        self.subject = subject
        self.canBeTakenBack = canBeTakenBack
        self.isNothing = isNothing
    }

    var compensation: Swipe? {
        guard canBeTakenBack, !isNothing else { return nil }
        var swipe = self
        swipe.takesBack = true
        swipe.group = "restore"
        return swipe
    }
}
