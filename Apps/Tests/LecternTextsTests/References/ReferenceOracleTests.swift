import Foundation
import LecternTexts
import Testing

/// Compares with pythonbible; `Apps/scripts/reference-oracle` writes the file and names it.
@Suite("References as pythonbible reads them")
struct ReferenceOracleTests {
    static let file = ProcessInfo.processInfo.environment["LECTERN_REFERENCES"]

    @Test("Each generated reference is read alike, or theirs is among our choices", .enabled(if: file != nil))
    func alike() throws {
        let text = try String(contentsOfFile: #require(Self.file), encoding: .utf8)
        let parser = ReferenceParser(KingJames.shape)
        var (equal, offered) = (0, 0)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t").map(String.init)
            try #require(parts.count == 2)
            let expected = parts[1]
            switch parser.parse(parts[0]) {
            case .found(let references):
                if isAlike(references, expected) {
                    equal += 1
                } else {
                    Issue.record("\(parts[0]): \(references.map(\.osis)) instead of \(expected)")
                }
            case .ambiguous(let lists):
                if lists.contains(where: { isAlike($0, expected) }) {
                    offered += 1
                } else {
                    Issue.record("\(parts[0]): \(lists) without \(expected)")
                }
            case let other: Issue.record("\(parts[0]): \(other) instead of \(expected)")
            }
        }
        print("\(equal) references are equal, and \(offered) are among the choices.")
        #expect(equal >= 2_000)
        #expect(offered * 50 < equal)
    }

    /// `Jude 1` is the chapter for us, which a person wants to open, and its first verse for pythonbible.
    private func isAlike(_ references: [Reference], _ expected: String) -> Bool {
        let own = references.map(\.osis).joined(separator: " ")
        if own == expected { return true }
        let oneChapter = ["Obad", "Phlm", "2John", "3John", "Jude"]
        return oneChapter.contains { own == "\($0).1" && expected == "\($0).1.1" }
    }
}
