import Testing

@testable import HablareWeb

@Suite struct ByteRangeTests {
    @Test(
        "A range is cut to the bytes that are there",
        arguments: [
            ("bytes=0-", 0..<10), ("bytes=0-0", 0..<1), ("bytes=3-5", 3..<6), ("bytes=9-", 9..<10),
            ("bytes=5-100", 5..<10), ("bytes=-3", 7..<10), ("bytes=-100", 0..<10), ("Bytes=1-2", 1..<3),
            ("bytes=2-99999999999999999999999", 2..<10),
        ])
    func part(_ header: String, _ expected: Range<Int>) {
        #expect(ByteRange(header, length: 10) == .part(expected))
    }

    @Test(
        "A range behind the end cannot be served",
        arguments: ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"])
    func unsatisfiable(_ header: String) {
        #expect(ByteRange(header, length: 10) == .unsatisfiable)
    }

    @Test(
        "What is not one valid range is ignored",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-3", "bytes=a-b", "bytes=0-1,3-4", "items=0-1", "bytes=--1",
            "bytes=1--2", "bytes=+1-2", "bytes= 1-2",
        ])
    func whole(_ header: String?) {
        #expect(ByteRange(header, length: 10) == .whole)
    }

    @Test("No bytes have no range")
    func empty() {
        #expect(ByteRange("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", length: 0) == .unsatisfiable)
        #expect(ByteRange(nil, length: 0) == .whole)
    }
}
