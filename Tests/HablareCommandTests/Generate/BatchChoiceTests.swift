import Testing

@testable import HablareCommand

@Suite struct BatchChoiceTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        var wanted: Bool?
        var deadline: Double?
        var hindrance: String?
        var isCharged = true
        var lack: String?
        var isBatch = false
        var until: Double?
        var note: String?
        var testDescription: String { "\(String(describing: wanted)) \(String(describing: deadline))" }
    }

    private static let day: Double = 86_400
    private static let lack = "openai has no batches"
    private static let note = "The request is called live, at the full price: openai has no batches."

    @Test(arguments: [
        Case(),
        Case(deadline: 60, until: 60),
        Case(deadline: 7199, until: 7199),
        Case(deadline: 7200, isBatch: true, until: 7200),
        Case(wanted: true, isBatch: true, until: day),
        Case(wanted: true, deadline: 2 * day, isBatch: true, until: 2 * day),
        Case(wanted: false, deadline: day, until: day),
        Case(wanted: false),
        Case(deadline: day, hindrance: "--stream", until: day),
        Case(deadline: day, lack: lack, until: day, note: note),
        Case(deadline: day, isCharged: false, lack: lack, until: day),
        Case(deadline: 60, lack: lack, until: 60),
        Case(wanted: false, deadline: day, lack: lack, until: day),
    ])
    private func `A request waits for a batch if it has time and its service has batches`(one: Case) throws {
        let choice = try BatchChoice(
            wanted: one.wanted, deadline: one.deadline, hindrance: one.hindrance, isCharged: one.isCharged,
            lack: one.lack)
        #expect(choice.isBatch == one.isBatch && choice.deadline == one.until && choice.note == one.note)
    }

    @Test(arguments: [
        (nil as Double?, "--stream" as String?, nil as String?, "--batch cannot be combined with --stream."),
        (nil, nil, lack, "--batch: openai has no batches."),
        (600, nil, nil, "--batch needs a --deadline of at least 2h"),
    ])
    func `--batch that is impossible is refused`(
        deadline: Double?, hindrance: String?, lack: String?, words: String
    ) throws {
        #expect {
            try BatchChoice(wanted: true, deadline: deadline, hindrance: hindrance, isCharged: true, lack: lack)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .usage && failure?.message.contains(words) == true
        }
    }

    @Test(
        arguments: [
            ("90", 90), ("0.5", 0.5), ("30m", 1800), ("24h", 86_400), ("2d", 172_800), ("soon", nil), ("", nil),
            ("0", nil),
            ("-1", nil), ("0h", nil), ("-2h", nil), ("nan", nil), ("inf", nil), ("4000d", nil), ("24 h", nil),
            ("2020-01-01", nil),
        ] as [(String, Double?)])
    func `A deadline is a number of seconds or a duration, and nothing else`(text: String, seconds: Double?) {
        #expect(DeadlineOption(argument: text).seconds == seconds)
    }
}
