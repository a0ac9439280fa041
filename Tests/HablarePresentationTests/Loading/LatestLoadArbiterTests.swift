import HablareTestKit
import Testing

@testable import HablarePresentation

/// Random requests, endings and cancellations, compared with an independent record of the whole history.
@Suite struct LatestLoadArbiterTests {
    @Test("At most one load is current, as the policy requires", arguments: Seeds.choose(200))
    func history(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let policy = LoadPolicy.allCases.randomElement(using: &random) ?? .cancelPrevious
        var arbiter = LatestLoadArbiter(policy)
        var book = Book()
        for step in 0..<200 {
            let comment: Comment = "seed \(seed), step \(step), \(policy)"
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let under = book.underWay
                switch arbiter.loadWasWanted() {
                case .ignore: #expect(policy == .ignoreWhileLoading && under != nil, comment)
                case .start(let number, let superseding):
                    #expect(policy == .cancelPrevious || under == nil, comment)
                    #expect(superseding == under, comment)
                    #expect(!book.loads.keys.contains(number), comment)
                    if let superseding { book.loads[superseding] = .void }
                    book.loads[number] = .counts
                }
            case 2:
                let stopped = arbiter.loadWasCancelled()
                #expect(stopped == book.underWay, comment)
                if let stopped { book.loads[stopped] = .void }
            default:
                // Any unfinished load may end now, in any order.
                guard let number = book.out.randomElement(using: &random) else { continue }
                let counts = arbiter.loadEnded(number)
                #expect(counts == (book.loads[number] == .counts), comment)
                book.loads[number] = .back
            }
            #expect(arbiter.current == book.underWay, comment)
        }
    }

    private struct Book {
        enum State { case counts, void, back }
        var loads: [Int: State] = [:]
        var underWay: Int? { loads.first { $0.value == .counts }?.key }
        var out: [Int] { loads.filter { $0.value != .back }.keys.sorted() }
    }
}
