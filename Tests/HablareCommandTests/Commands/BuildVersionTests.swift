import Testing

@testable import HablareCommand

@Suite struct BuildVersionTests {
    @Test(arguments: [
        (UInt64(0), false, "(built from sources, commit unknown)"), (0, true, "(built from sources, commit unknown)"),
        (0x608c_1321_3803, false, "(commit 608c13213803)"), (0xab, true, "(commit 0000000000ab, with changes)"),
    ])
    func `The version names the commit`(commit: UInt64, isChanged: Bool, ending: String) {
        let text = BuildVersion.text(commit: commit, isChanged: isChanged)
        #expect(text == "\(BuildVersion.number) \(ending)")
    }
}
