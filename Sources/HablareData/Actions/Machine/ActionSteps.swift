/// The steps of a queue by their numbers, stored in blocks. A change to a copy copies only the changed blocks, not all
/// steps of a long queue.
struct ActionSteps<Action: QueuedAction>: Sendable {
    private static var stepsOfBlock: Int64 { 64 }

    private var blocks: [Int64: [Int64: ActionStep<Action>]] = [:]
    private(set) var count = 0

    /// The step with a number. Setting it to `nil` removes the step.
    subscript(number: Int64) -> ActionStep<Action>? {
        get { blocks[number / Self.stepsOfBlock]?[number] }
        set {
            let block = number / Self.stepsOfBlock
            let hadStep = blocks[block]?[number] != nil
            blocks[block, default: [:]][number] = newValue
            count += (newValue == nil ? 0 : 1) - (hadStep ? 1 : 0)
            if blocks[block]?.isEmpty == true { blocks[block] = nil }
        }
    }

    /// All numbers, in order.
    var numbers: [Int64] { blocks.values.flatMap(\.keys).sorted() }
}
