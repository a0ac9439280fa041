import Hablare
import HablareTestKit

private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

/// Random faults, and random additional events.
extension PlanDraft {
    mutating func faults() {
        for _ in 0..<random.element(of: [0, 0, 1, 1, 2, 3]) {
            let restart = random.within(0...4000) * millisecond
            fault(random.percent(15) ? .machineCrash(point(), restart: restart) : .crash(point(), restart: restart))
        }
        for _ in 0..<random.element(of: [0, 0, 0, 1, 1, 2]) {
            fault(.restart(linger: random.within(0...12) * second / 2, restart: random.within(0...2000) * millisecond))
        }
        for _ in 0..<random.element(of: [0, 0, 1, 1, 2, 3]) {
            switch random.below(9) {
            case 0, 1: fault(.failCommits(Int(random.within(1...3))))
            case 2: fault(.failClaims(Int(random.within(1...2))))
            case 3: fault(.failReads(Int(random.within(1...2))))
            case 4: fault(.fillDisk(random.within(200...8000) * millisecond))
            case 5: fault(.jumpClock(random.within(-60...60) * second))
            case 6: fault(.loseCommits(Int(random.within(1...2)), areMade: random.percent(50)))
            default: fault(.doze(random.within(1...40) * second))
            }
        }
    }

    // MARK: Suspensions

    /// Adds random suspensions of processes. Some of them overlap.
    mutating func addSuspensions(_ dice: inout SeededGenerator) {
        for _ in 0..<dice.within(1...4) {
            let slot = Int(dice.below(Int64(slots)))
            let time = dice.percent(50) ? dice.below(horizon / 8) : dice.below(horizon)
            for reason in dice.element(
                of: [[.background], [.offline], [.background, .offline]] as [[SuspensionReason]])
            {
                let begin = time + dice.below(300 * millisecond)
                let grace = dice.element(of: [0, 0, 500, 3000, 60_000]) * millisecond
                let timeout = dice.percent(15) ? dice.below(2000 * millisecond) : nil
                let end = begin + dice.element(of: [0, 20, 2000, 8000]) * dice.below(millisecond)
                schedule(.suspend(reason, grace: grace), at: begin, slot: slot, timeout: timeout)
                schedule(.resume(reason), at: end, slot: slot)
            }
        }
    }

    // MARK: Chains and retention

    /// Gives some requests a chain of fallback providers. Requests for the same work get the same chain.
    mutating func chains(_ dice: inout SeededGenerator) {
        guard providers > 1 else { return }
        var chains: [Int32: [Int]] = [:]
        for id in requests.indices {
            let request = requests[id]
            let chain =
                chains[request.content]
                ?? (dice.percent(60)
                    ? (0..<providers).filter { $0 != request.provider && dice.percent(80) }.shuffled(using: &dice) : [])
            chains[request.content] = chain
            requests[id].fallback = chain
            guard !chain.isEmpty, dice.percent(50) else { continue }
            // Adds failures, so that whole chains fail and some end early.
            let row =
                dice.percent(20)
                ? ProviderFailure.invalidRequest : Int32(dice.below(Int64(ProviderFailure.invalidRequest)))
            requests[id].behaviours.insert(
                .fail(row: row, after: dice.below(500 * millisecond)),
                at: Int(dice.below(Int64(requests[id].behaviours.count + 1))))
        }
    }

    /// Adds random operations that protect, evict and prune answers.
    mutating func keepings(_ dice: inout SeededGenerator) {
        for id in requests.indices {
            if dice.percent(15) { requests[id].keepUntilMerged = true }
            let id32 = Int32(id)
            if dice.percent(20) { keep(.pin(id32), &dice) }
            if dice.percent(12) { keep(.unpin(id32), &dice) }
            if dice.percent(requests[id].keepUntilMerged ? 50 : 3) { keep(.merged(id32), &dice) }
            if dice.percent(10) { keep(.evict(id32), &dice) }
        }
        for _ in 0..<dice.within(1...3) { keep(.prune(keeping: Int(dice.element(of: [0, 0, 1, 2, 4]))), &dice) }
    }

    /// Adds random faults of content files: failed writes, removed files, collections of orphaned files, and deaths of
    /// a process during a write.
    mutating func files(_ dice: inout SeededGenerator) {
        for _ in 0..<dice.within(0...2) { keep(.prune(keeping: 1000), &dice) }
        guard !isCalm else { return }
        for _ in 0..<dice.element(of: [0, 0, 1, 1, 2]) {
            let point = Fault.Point.file(Int(dice.within(1...6)), isWritten: dice.percent(70))
            let restart = dice.within(0...4000) * millisecond
            fault(dice.percent(15) ? .machineCrash(point, restart: restart) : .crash(point, restart: restart), &dice)
        }
        if dice.percent(25) { fault(.failFiles(Int(dice.within(1...3))), &dice) }
        if dice.percent(25) {
            for _ in 0..<dice.within(1...2) { fault(.loseFile(Int(dice.below(20))), &dice) }
        }
    }

    mutating func fault(_ fault: Fault, _ dice: inout SeededGenerator) {
        events.append((dice.below(horizon), Int(dice.below(Int64(slots))), .fault(fault)))
    }

    /// Adds a request whose calls never return an answer, because the machine crashes during each call. The number of
    /// crashes may be greater than the number of times that the engine sends the request again. Returns a time after
    /// the last crash.
    mutating func unlucky(_ dice: inout SeededGenerator) -> Int64 {
        let id = Int32(requests.count)
        let stops = Int(dice.within(9...13))
        requests.append(
            SimulationPlan.Request(
                provider: Int(dice.below(Int64(providers))), content: id, priority: .high, attemptTimeout: nil,
                behaviours: Array(repeating: .stall, count: stops)))
        events.append((0, 0, .operation(.submit(id, content: id), timeout: nil)))
        var time: Int64 = 0
        for _ in 0..<stops {
            time += second + dice.below(second / 4)
            events.append((time, 0, .fault(.machineCrash(.steps(Int(dice.within(1...3))), restart: 0))))
            // Gives the process a step at which to die.
            events.append((time + millisecond, 0, .operation(.status(id), timeout: nil)))
        }
        return time + second
    }

    /// Adds random snapshots of requests that share their work. The snapshots are taken soon after the submissions.
    mutating func looks(_ dice: inout SeededGenerator) {
        let sharers = Dictionary(grouping: requests.indices) { requests[$0].content }.values.filter { $0.count > 1 }
        let shared = Set(sharers.joined().map { Int32($0) })
        for event in events {
            guard case .operation(let operation, _) = event.what, let id = operation.request, shared.contains(id)
            else { continue }
            switch operation {
            case .submit, .execute, .retry:
                let time = min(event.time + dice.below(400 * millisecond), horizon - 1)
                schedule(.snapshot(id), at: time, slot: event.slot)
            default: continue
            }
        }
    }

    /// Lets some streaming providers yield further pieces after their call has ended.
    mutating func talkers(_ dice: inout SeededGenerator) {
        for id in requests.indices {
            for position in requests[id].behaviours.indices {
                guard case .stream(let count, let time, nil, false) = requests[id].behaviours[position],
                    dice.percent(50)
                else { continue }
                requests[id].behaviours[position] = .talkative(pieces: count, every: time)
            }
        }
    }

    /// Lets some providers begin work that continues after their call has ended.
    mutating func memories(_ dice: inout SeededGenerator) {
        for id in requests.indices where dice.percent(60) {
            let row = dice.percent(60) ? dice.element(of: ProviderFailure.retryable) : Self.row(&dice)
            let fails = !isCalm && dice.percent(40)
            let behaviour = ProviderBehaviour.remember(
                pieces: Int(dice.within(1...5)), every: dice.element(of: [0, 1, 30, 400, 1500]) * millisecond,
                row: fails ? row : nil, forgets: fails && dice.percent(25))
            let position = Int(dice.below(Int64(requests[id].behaviours.count + 1)))
            requests[id].behaviours.insert(behaviour, at: position)
            guard !isCalm, dice.percent(25) else { continue }
            // The next call finds the work gone.
            requests[id].behaviours.insert(
                .remember(pieces: 1, every: 0, row: Self.row(&dice), forgets: true), at: position + 1)
        }
    }

    /// Lets some providers ignore the work that the engine asks them to resume.
    mutating func ignorants(_ dice: inout SeededGenerator) {
        for id in requests.indices {
            let begun = requests[id].behaviours.firstIndex { if case .remember = $0 { true } else { false } }
            guard let begun, dice.percent(50) else { continue }
            requests[id].behaviours.insert(
                .ignore(
                    pieces: Int(dice.within(0...3)), every: dice.element(of: [0, 1, 30, 400, 1500]) * millisecond),
                at: begun + 1)
        }
    }

    private static func row(_ dice: inout SeededGenerator) -> Int32 {
        let row = Int32(dice.below(Int64(ProviderFailure.invalidRequest)))
        return ProviderFailure.rows[Int(row)].isAbsurd ? 0 : row
    }

    mutating func keep(_ operation: ClientOperation, _ dice: inout SeededGenerator) {
        events.append((dice.below(horizon), Int(dice.below(Int64(slots))), .operation(operation, timeout: nil)))
    }

    mutating func schedule(_ operation: ClientOperation, at time: Int64, slot: Int, timeout: Int64? = nil) {
        events.append((min(time, horizon - 1), slot, .operation(operation, timeout: timeout)))
    }

    mutating func point() -> Fault.Point {
        random.percent(45)
            ? .steps(Int(random.within(1...120)))
            : .commit(Int(random.within(1...6)), isApplied: random.percent(50))
    }

    mutating func fault(_ fault: Fault) {
        events.append((anytime(), Int(random.below(Int64(slots))), .fault(fault)))
    }
}
