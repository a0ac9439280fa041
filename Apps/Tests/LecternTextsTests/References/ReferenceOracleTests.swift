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
        var (equal, offered, cut) = (0, 0, 0)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t").map(String.init)
            try #require(parts.count == 2)
            let expected = parts[1]
            switch parser.parse(parts[0]) {
            case .found(let references):
                if isAlike(references, expected) {
                    equal += 1
                } else if isCut(parts[0], references, expected) {
                    cut += 1
                } else {
                    Issue.record("\(parts[0]): \(references.map(\.osis)) instead of \(expected)")
                }
            case .ambiguous(let lists):
                if lists.contains(where: { isAlike($0, expected) }) {
                    offered += 1
                } else {
                    Issue.record("\(parts[0]): \(lists) without \(expected)")
                }
            case .missing(let lists):
                // pythonbible leaves out the parts that do not exist; we offer the nearest in their place.
                let wanted = Reference.references(osis: expected)
                if lists.contains(where: { list in list.count > wanted.count && wanted.allSatisfy(list.contains) }) {
                    offered += 1
                } else {
                    Issue.record("\(parts[0]): \(lists) without \(expected)")
                }
            case let other: Issue.record("\(parts[0]): \(other) instead of \(expected)")
            }
        }
        print("\(equal) references are equal, \(offered) are among the choices, and pythonbible cuts off \(cut).")
        #expect(equal >= 2_000)
        #expect(cut * 100 < equal)
        #expect(offered * 50 < equal)
    }

    /// pythonbible stops at the period behind a name of the Song of Solomon, so `Song. 3:2` is the whole book to it.
    private func isCut(_ text: String, _ references: [Reference], _ expected: String) -> Bool {
        let numbers = text.drop { $0 != "." }.dropFirst()
        return expected == "Song" && numbers.contains(where: \.isNumber)
            && references.allSatisfy { $0.book.rawValue == "Song" && $0.places != nil }
    }

    /// `Jude 1` is the chapter for us, which a person wants to open, and its first verse for pythonbible.
    private func isAlike(_ references: [Reference], _ expected: String) -> Bool {
        let own = references.map(\.osis).joined(separator: " ")
        if own == expected { return true }
        let oneChapter = ["Obad", "Phlm", "2John", "3John", "Jude"]
        return oneChapter.contains { own == "\($0).1" && expected == "\($0).1.1" }
    }
}
