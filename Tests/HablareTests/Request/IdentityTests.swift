import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct RequestIDsTests {
    @Test("A time-ordered UUID contains its version, variant and time")
    func layout() {
        var random = SeededGenerator(seed: 1)
        let id = UUID.timeOrdered(at: Date(timeIntervalSince1970: 1_645_557_742), using: &random)
        let bytes = [UInt8](id.bytes)
        #expect(bytes.prefix(6) == [0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0], "the example of RFC 9562")
        #expect(bytes[6] >> 4 == 7 && bytes[8] >> 6 == 2)
    }

    @Test("Time-ordered UUIDs ascend with time and do not repeat")
    func ascending() {
        var random = SeededGenerator(seed: 2)
        var seen: Set<UUID> = []
        var last = Data()
        for millisecond in 0..<2_000 {
            let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(millisecond) / 1_000 + 0.0005)
            let id = UUID.timeOrdered(at: date, using: &random)
            #expect(last.lexicographicallyPrecedes(id.bytes))
            last = id.bytes
            seen.insert(id)
        }
        #expect(seen.count == 2_000)
        #expect(Set((0..<1_000).map { _ in UUID.timeOrdered() }).count == 1_000)
    }

    @Test("UUIDs of one millisecond keep the order in which they were created")
    func withinAMillisecond() {
        var random = SeededGenerator(seed: 4)
        let ids = (0..<2_000).map { microsecond in
            let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(microsecond) / 1_000_000)
            return UUID.timeOrdered(at: date, using: &random).bytes
        }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }

    @Test("A date outside the range of a UUID is clamped to it", arguments: [-1.0, -.infinity, 1e300, .infinity])
    func extremes(seconds: Double) {
        var random = SeededGenerator(seed: 3)
        let id = UUID.timeOrdered(at: Date(timeIntervalSince1970: seconds), using: &random)
        #expect(id.bytes.prefix(6) == Data(repeating: seconds < 0 ? 0 : 0xff, count: 6))
    }

    @Test("Exactly sixteen bytes make a UUID")
    func bytes() {
        let id = UUID.timeOrdered()
        #expect(UUID(bytes: id.bytes) == id)
        for count in [0, 15, 17] { #expect(UUID(bytes: Data(count: count)) == nil) }
    }
}

@Suite struct JobKeyTests {
    private func key(_ parts: String...) -> String { JobKey.hashing(parts.map(\.utf8)).rawValue }

    @Test("The same parts make the same job key of 32 hexadecimal digits")
    func stable() {
        #expect(key("book", "voice") == key("book", "voice"))
        #expect(key().count == 32 && key("x").allSatisfy(\.isHexDigit))
    }

    @Test("Different lists of parts make different job keys")
    func framing() {
        let keys = [key(), key(""), key("", ""), key("ab"), key("a", "b"), key("b", "a"), key("ab", ""), key("", "ab")]
        #expect(Set(keys).count == keys.count)
    }
}

@Suite struct HexadecimalTests {
    @Test("Bytes survive the round trip through hexadecimal digits")
    func roundTrip() {
        let data = Data((0...255).map { UInt8($0) })
        #expect(data.hexadecimal.prefix(8) == "00010203")
        #expect(Data(hexadecimal: data.hexadecimal) == data)
        #expect(Data(hexadecimal: "") == Data())
    }

    @Test("Invalid hexadecimal text is refused", arguments: ["0", "abc", "0g", "é0", "٣٣", "0x10", " 00"])
    func refused(text: String) {
        #expect(Data(hexadecimal: text) == nil)
    }
}
