import Foundation
import HablareWeb
import Testing

@Suite struct CommandIDTests {
    @Test("Only UUIDs of version 7 are ids")
    func version() {
        #expect(CommandID(UUID()) == nil)
        #expect(CommandID("0192f0c1-0000-7000-8000-000000000000") != nil)
        #expect(CommandID("0192f0c1-0000-7000-c000-000000000000") == nil)  // another variant
        #expect(CommandID("0192f0c1-0000-4000-8000-000000000000") == nil)
        #expect(CommandID("") == nil)
    }

    @Test("An id begins with its time, and later ids sort later")
    func time() {
        var generator = SystemRandomNumberGenerator()
        let early = CommandID(date: Date(timeIntervalSince1970: 1_700_000_000.123), using: &generator)
        let late = CommandID(date: Date(timeIntervalSince1970: 1_700_000_000.124), using: &generator)
        #expect(early.description.hasPrefix("018bcfe5-687b-7"))
        #expect(early.description < late.description)
        #expect(CommandID(early.description) == early)
        #expect(CommandID(early.description.uppercased()) == early)
    }
}
