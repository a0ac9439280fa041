import Foundation
import Testing

/// The guarantee articles share one form and name proofs that exist.
@Suite struct GuaranteeTests {
    private static let headings = ["What is promised", "Why", "Advice", "What breaks it", "How it is proved"]

    private static func articles() throws -> [Document] {
        try Document.all().filter { $0.path.contains("/Guarantees/") && !$0.path.hasSuffix("/Guarantees.md") }
    }

    @Test("Each guarantee has an article that the overview links to")
    func articlesAreThere() throws {
        let titles = try Self.articles().map { $0.text.prefix { $0 != ":" } }
        #expect(Set(titles) == (1...11).reduce(into: []) { $0.insert("# G\($1)") })
        let overview = try #require(try Document.all().first { $0.path.hasSuffix("/Guarantees.md") })
        for article in try Self.articles() {
            let name = try #require(article.path.split(separator: "/").last).dropLast(".md".count)
            #expect(overview.text.contains("<doc:\(name)>"))
        }
    }

    @Test("A guarantee article has the five standard headings in order", arguments: try articles())
    func form(article: Document) {
        let found = article.text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
        #expect(found == Self.headings)
    }

    @Test("The suites, rules, mutants and commands that a guarantee article names exist", arguments: try articles())
    func proofs(article: Document) throws {
        let folders = ["Tests", "Sources/HablareSimulation", "Sources/HablareTestKit"]
        let sources = try Repository.files(below: folders, endingIn: ".swift")
        let files = Set(sources.compactMap { $0.split(separator: "/").last })
        let makefile = try Repository.text(of: "Makefile")
        let mutants = try Repository.text(of: "Mutants/mutants.txt")
        let proofs = article.codeSpans(below: "How it is proved")
        #expect(!proofs.isEmpty)
        for proof in proofs {
            let isThere =
                if proof.hasPrefix("make ") {
                    makefile.contains("\n\(proof.dropFirst("make ".count)): ")
                } else if proof.first?.isLowercase ?? false {
                    mutants.contains("\nmutant \(proof)\n")
                } else {
                    files.contains("\(proof).swift")
                }
            #expect(isThere, "\(article.path) names \(proof), which does not exist (any more)")
        }
    }
}
