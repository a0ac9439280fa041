import LecternTexts
import Testing

@testable import LecternCore

@Suite("Addresses of places")
struct DeepLinkTests {
    private static let books = ["John", "1Sam"].map(BookID.init(rawValue:))

    @Test(
        "An address is read and written alike",
        arguments: ["/web/john/3", "/web/john/3#16", "/kjv/1sam/17#4-7", "/own-book-2/john/0"])
    func roundTrip(address: String) throws {
        #expect(try DeepLink(address, books: Self.books).description == address)
    }

    @Test("The case of a book does not matter")
    func anyCase() throws {
        let link = try DeepLink("/web/JOHN/3#16", books: Self.books)
        #expect(link.chapter == ChapterID(BookID(rawValue: "John"), 3))
        #expect(link.verses == 16...16)
    }

    @Test(
        "A malformed address is an error with advice",
        arguments: [
            "", "/", "web/john/3", "/web/john", "/web/john/x", "/web/john/3/4", "/../john/3", "/web/john/3#x",
            "/web/john/3#18-16", "/web/john/9999999", "/web/none/3", "/web/john/-3", "/web/john/٣",
        ])
    func malformed(address: String) {
        #expect(throws: ReadingError.self) { try DeepLink(address, books: Self.books) }
    }
}
