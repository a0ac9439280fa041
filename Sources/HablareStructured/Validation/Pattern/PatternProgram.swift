/// A pattern as a program that reads each character of a text once and follows all possible matches at the same time.
///
/// `Regex` and `NSRegularExpression` use backtracking instead. With backtracking, a pattern such as `^(a+)+$` takes far
/// too long for a text of forty characters. With this program, the work for each character is at most the number of
/// steps of the program, for every pattern. The work is counted.
struct PatternProgram: Sendable, Hashable {
    /// The maximum number of steps in a program. Repetitions with a number, such as `a{3}`, are written out as steps.
    static let longest = 10_000

    enum Step: Sendable, Hashable {
        case scalar(ScalarSet)
        case split(Int, Int)
        case jump(Int)
        case start
        case end
        case wordEdge(isWanted: Bool)
        case matched
    }

    private var steps: [Step] = []

    /// The number of steps.
    var length: Int { steps.count }

    /// Compiles a pattern.
    init(_ pattern: String) throws(PatternProblem) {
        let syntax = try PatternParser.parse(pattern)
        try append(syntax)
        try emit(.matched)
    }

    private mutating func emit(_ step: Step) throws(PatternProblem) {
        guard steps.count < Self.longest else {
            throw PatternProblem("is too large after its repetitions are expanded")
        }
        steps.append(step)
    }

    /// Appends a part of the pattern. Each part has at least one step, so the maximum number of steps also limits the
    /// number of parts.
    private mutating func append(_ syntax: PatternSyntax) throws(PatternProblem) {
        switch syntax {
        case .set(let set): try emit(.scalar(set))
        case .start: try emit(.start)
        case .end: try emit(.end)
        case .wordEdge(let isWanted): try emit(.wordEdge(isWanted: isWanted))
        case .sequence(let parts): for part in parts { try append(part) }
        case .choice(let branches): try append(choice: branches)
        case .repetition(let part, let least, let most):
            for _ in 0..<least { try append(part) }
            if let most {
                try append(part, upTo: most - least)
            } else {
                let split = steps.count
                try emit(.jump(0))
                try append(part)
                try emit(.jump(split))
                steps[split] = .split(split + 1, steps.count)
            }
        }
    }

    private mutating func append(choice branches: [PatternSyntax]) throws(PatternProblem) {
        var ends: [Int] = []
        for (index, branch) in branches.enumerated() {
            guard index < branches.count - 1 else {
                try append(branch)
                break
            }
            let split = steps.count
            try emit(.jump(0))
            try append(branch)
            ends.append(steps.count)
            try emit(.jump(0))
            steps[split] = .split(split + 1, steps.count)
        }
        for end in ends { steps[end] = .jump(steps.count) }
    }

    private mutating func append(_ part: PatternSyntax, upTo count: Int) throws(PatternProblem) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(steps.count)
            try emit(.jump(0))
            try append(part)
        }
        for split in splits { steps[split] = .split(split + 1, steps.count) }
    }

    // MARK: Matching

    /// Returns whether the pattern matches in a text, or `nil` if the limit of work is reached. Subtracts the work that
    /// was done from the limit.
    func occurs(in text: String, effort: inout Int) -> Bool? {
        // Allocating the state also counts as work, because a value may contain many short texts.
        effort -= steps.count / 64 + text.utf8.count / 16
        guard effort > 0 else { return nil }
        let scalars = Array(text.unicodeScalars)
        var run = Run(steps: steps)
        for offset in 0...scalars.count {
            let before = offset > 0 ? scalars[offset - 1] : nil
            let after = offset < scalars.count ? scalars[offset] : nil
            effort -= run.enter(between: before, and: after)
            if run.hasMatched { return true }
            guard effort > 0 else { return nil }
            if let after { effort -= run.advance(over: after) }
        }
        return false
    }

    /// The set of steps that are possible after a part of the text has been read.
    private struct Run {
        let steps: [Step]
        var hasMatched = false
        /// The steps that wait for the next character, without duplicates.
        private var waiting: [Int] = []
        /// The steps that have not been followed yet.
        private var pending: [Int] = []
        /// The last round in which each step was reached. It prevents a step from being followed twice in a round.
        private var reached: [Int]
        private var round = 0

        init(steps: [Step]) {
            self.steps = steps
            reached = Array(repeating: 0, count: steps.count)
        }

        /// Follows all steps that consume no character. Also begins the pattern again, because it may match at any
        /// place in the text.
        mutating func enter(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Int {
            round += 1
            waiting.removeAll(keepingCapacity: true)
            pending.append(0)
            var work = 1
            while let index = pending.popLast() {
                guard reached[index] != round else { continue }
                reached[index] = round
                work += 1
                switch steps[index] {
                case .scalar: waiting.append(index)
                case .jump(let target): pending.append(target)
                case .split(let one, let other): pending += [other, one]
                case .start: if before == nil { pending.append(index + 1) }
                case .end: if after == nil { pending.append(index + 1) }
                case .wordEdge(let isWanted):
                    let isEdge = (before.map(ScalarSet.isWord) ?? false) != (after.map(ScalarSet.isWord) ?? false)
                    if isEdge == isWanted { pending.append(index + 1) }
                case .matched:
                    hasMatched = true
                    return work
                }
            }
            return work
        }

        /// Consumes a character in all steps that accept it.
        mutating func advance(over scalar: Unicode.Scalar) -> Int {
            var work = 0
            for index in waiting {
                guard case .scalar(let set) = steps[index] else { continue }
                work += set.items.count
                if set.contains(scalar) { pending.append(index + 1) }
            }
            return work
        }
    }
}
