import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareProviders

/// The decisions of an attempt at a background response, without a service.
@Suite struct OpenAIBackgroundMachineTests {
    private typealias Machine = OpenAIBackgroundMachine

    /// A stream of a service, which can be read again.
    private struct Service {
        struct Event {
            /// The sequence number; `nil` for an event without one.
            let number: Int64?
            let text: String
        }

        let events: [Event]
        var text: String { events.map(\.text).joined() }

        init(using random: inout SeededGenerator) {
            var events = [Event(number: 0, text: "")]
            for number in 1...Int64.random(in: 1...12, using: &random) {
                let letters = ["a", "é", "🌍", ""].randomElement(using: &random) ?? ""
                let text = String(repeating: letters, count: Int.random(in: 1...3000, using: &random))
                events.append(Event(number: Int.random(in: 0..<3, using: &random) == 0 ? nil : number, text: text))
            }
            self.events = events
        }

        /// Returns the events after a number, or all of them if the service ignores the number.
        func stream(after number: Int64?, restarts: Bool) -> ArraySlice<Event> {
            guard let number, !restarts, let place = events.firstIndex(where: { $0.number == number }) else {
                return events[...]
            }
            return events[(place + 1)...]
        }
    }

    @Test(
        "The text arrives once, however often the stream is cut, and whether the service resumes or restarts it",
        arguments: Seeds.choose(100))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let service = Service(using: &random)
        let whole = Data(service.text.utf8)
        var handle: Data?
        var kept = Data()
        for attempt in 0..<12 {
            var machine = Machine(handle: handle, keptBytes: kept.count)
            let after: Int64?
            switch machine.begins(streams: true) {
            case .restart: after = nil
            case .reading(let id, let number):
                #expect(id == "r")
                after = number
            case .asking, .lost: throw CancellationError()
            }
            let stream = service.stream(after: after, restarts: Bool.random(using: &random))
            let isLast = attempt == 11
            let count = isLast ? stream.count : Int.random(in: 0...stream.count, using: &random)
            var yielded = kept
            for event in stream.prefix(count) {
                machine.wasNamed("r", isInBackground: true)
                if let unleft = machine.unleft {
                    handle = try unleft.data()
                    machine.wasLeft(unleft)
                }
                guard machine.eventCame(event.number) else { continue }
                yielded += machine.textCame(event.text)
                machine.eventWasTaken(event.number)
            }
            #expect(whole.prefix(yielded.count) == yielded, "attempt \(attempt)")
            if isLast { #expect(yielded == whole) }
            // The last yielded bytes may not have been stored.
            kept = yielded.prefix(Int.random(in: kept.count...yielded.count, using: &random))
            if handle == nil { kept = Data() }
        }
    }

    @Test("The stored handle, and whether the caller streams, decide how an attempt starts")
    func beginnings() throws {
        let handle = try BackgroundScript.handle("r", [(5, 100), (9, 200)])
        let rows: [(Data?, Int, Bool, Machine.Beginning)] = [
            (nil, 0, true, .restart), (nil, 0, false, .restart), (Data("x".utf8), 0, true, .lost),
            (Data(), 0, false, .lost), (handle, 0, false, .asking(id: "r")), (handle, 300, false, .asking(id: "r")),
            (handle, 99, true, .reading(id: "r", after: nil)), (handle, 100, true, .reading(id: "r", after: 5)),
            (handle, 200, true, .reading(id: "r", after: 9)),
        ]
        for (handle, bytes, streams, expected) in rows {
            var machine = Machine(handle: handle, keptBytes: bytes)
            let beginning = machine.begins(streams: streams)
            #expect(beginning == expected)
        }
    }

    @Test("Pauses grow by half up to the maximum")
    func pauses() {
        var machine = Machine(handle: nil, keptBytes: 0)
        let pauses = (0..<12).map { _ in machine.nextPause() }
        #expect(pauses.prefix(3) == [.seconds(1.5), .seconds(2.25), .seconds(3.375)])
        #expect(pauses.last == Machine.longestPause && pauses.allSatisfy { $0 <= Machine.longestPause })
    }

    @Test("Only the unread rest of a whole text is yielded, and a text shorter than that is refused")
    func wholeText() {
        var machine = Machine(handle: Data(), keptBytes: 3)
        let rests = ["ab", "abcde", "abcde"].map { machine.wholeTextCame($0) }
        #expect(rests == [nil, Data("de".utf8), Data()])
    }

    @Test("A handle is stored once and removed once, and a response outside the background has none")
    func leaving() throws {
        var machine = Machine(handle: nil, keptBytes: 0)
        machine.wasNamed(nil, isInBackground: true)
        machine.wasNamed("r", isInBackground: false)
        #expect(machine.unleft == nil && machine.unknown == nil)
        machine.wasNamed("r", isInBackground: nil)
        #expect(machine.unknown?.id == "r", "nobody knows of it yet but this attempt")
        let handle = try #require(machine.unleft)
        #expect(machine.unleft == handle, "as long as it is not left")
        machine.wasLeft(handle)
        #expect(machine.unknown == nil)
        machine.wasNamed("other", isInBackground: true)
        #expect(machine.unleft == nil && machine.work?.id == "r")
        let takenBack = [machine.isGone(), machine.isGone()]
        #expect(takenBack == [true, false] && machine.work == nil)
        // An unreadable handle is removed too. If no handle is stored, none is removed.
        for (handle, expected) in [(Data("x".utf8), true), (nil, false)] as [(Data?, Bool)] {
            var machine = Machine(handle: handle, keptBytes: 0)
            let isTakenBack = machine.isGone()
            #expect(isTakenBack == expected)
        }
    }

    @Test("An unreadable answer is requested again only if the work has an id")
    func judged() throws {
        let named = Machine(handle: try BackgroundScript.handle(), keptBytes: 0)
        let nameless = Machine(handle: nil, keptBytes: 0)
        let unreadable = AIServiceError(.invalidResponse, "x", billing: .maybeBilled)
        #expect(named.judged(unreadable).disposition == .outcomeUnknown)
        #expect(named.judged(unreadable).billing == .maybeBilled)
        // The usage is billed to the attempt that gets the answer, and to no other.
        #expect(named.judged(unreadable.billed(.billed(Usage(outputTokens: 4)))).billing == .maybeBilled)
        #expect(nameless.judged(unreadable) == unreadable)
        for other in [AIServiceError(.unauthorized, "x"), AIServiceError(.overloaded, "x"), .workLost] {
            #expect(named.judged(other) == other)
        }
    }
}
