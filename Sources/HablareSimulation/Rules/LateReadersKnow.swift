/// G4: if an operation begins after the outcome of a request was announced, it reports the same outcome. An operation
/// on a request that was never submitted reports an unknown request.
enum LateReadersKnow: SimulationRule {
    static let name = "G4 late readers know"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        for story in history.stories where !story.isMurky {
            let first = story.outcomes.first
            for operation in story.others + story.cancels {
                guard let returned = operation.returned, let result = operation.result else { continue }
                if case .regenerate = operation.operation { continue }
                if case .snapshot = operation.operation { continue }
                if !story.submits.contains(where: { $0.called < returned }), isAnswer(result) {
                    found.append(
                        "operation \(operation.number) found request \(story.number), which no client submitted")
                }
                guard let first, first.position < operation.called,
                    !story.retries.contains(where: { $0.called < returned })
                else { continue }
                let isWrong =
                    switch result {
                    case .pending, .executing, .done, .completed, .failed, .cancelled: result != first.outcome
                    default: false
                    }
                if isWrong {
                    found.append(
                        "operation \(operation.number) received \(result) after request \(story.number) was "
                            + "\(first.outcome)")
                }
            }
        }
        return found
    }

    private static func isAnswer(_ result: Observed) -> Bool {
        switch result {
        case .refused, .cancellationError, .foreignError: false
        default: true
        }
    }
}
