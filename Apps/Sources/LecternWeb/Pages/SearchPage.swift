import Foundation
import HablareWeb
import LecternCore
import LecternTexts

/// The values of the search page. The hits are in the slot `hits`.
struct SearchPage: Sendable {
    /// An option of a list.
    struct Option: Sendable {
        let value: String
        let text: String
        let isChosen: Bool
    }

    /// The search that a person asks for.
    struct Request: Sendable {
        var typed: String
        var text: String
        var match: String
        var part: String
        var order: String
        var page: Int
        var context: Int

        /// Returns the address of the search with a change.
        func href(_ change: (inout Request) -> Void = { _ in }) -> String {
            var request = self
            request.page = 0
            change(&request)
            var query = "/search?q=\(Addresses.encoded(request.typed))&in=\(Addresses.encoded(request.text))"
            if request.match != "all" { query += "&match=\(Addresses.encoded(request.match))" }
            if !request.part.isEmpty { query += "&part=\(Addresses.encoded(request.part))" }
            if request.order != "text" { query += "&order=\(Addresses.encoded(request.order))" }
            if request.context > 0 { query += "&context=\(request.context)" }
            if request.page > 0 { query += "&page=\(request.page + 1)" }
            return query
        }

        /// The search of the core.
        var query: SearchQuery {
            var books: Set<BookID>?
            if let testament = BookCatalogue.Testament(rawValue: part) {
                books = BookCatalogue.standard.books(of: testament)
            } else if !part.isEmpty {
                books = [BookID(rawValue: part)]
            }
            return SearchQuery(
                typed, matching: SearchQuery.Matching(rawValue: match) ?? .all, completesLastWord: match == "prefix",
                books: books, order: order == "best" ? .best : .text, page: page, context: context)
        }
    }

    let typed: String
    let texts: [Option]
    let matches: [Option]
    let parts: [Option]
    let orders: [Option]
    var summary: String?
    var facets: [PageModel.Link] = []
    var hasFacets = false
    var whole: PageModel.Link?
    var previous: String?
    var next: String?
    var pageText: String?
    var contextHref: String?
    var contextText = ""
    var isEmpty = false
    var advice = ""
    var notes: [PageModel.Link] = []
    var hasNotes = false

    init(_ request: Request, texts: [StoredText], shape: TextShape?) {
        func options(_ values: [(String, String)], _ chosen: String) -> [Option] {
            values.map { Option(value: $0.0, text: $0.1, isChosen: $0.0 == chosen) }
        }
        typed = request.typed
        self.texts = options(texts.map { ($0.id, $0.description.title) }, request.text)
        matches = options(
            [
                ("all", "All words"), ("any", "Any word"), ("phrase", "This phrase"),
                ("prefix", "Beginnings of words"),
            ], request.match)
        let books: [(String, String)] =
            shape?.books.map { ($0.description.id.rawValue, $0.description.name) } ?? []
        var places = [("", "Everywhere"), ("old", "Old Testament"), ("new", "New Testament")]
        if books.contains(where: { BookCatalogue.standard[BookID(rawValue: $0.0)]?.testament == .deuterocanon }) {
            places.append(("deuterocanon", "Deuterocanon"))
        }
        parts = options(places + books, request.part)
        orders = options([("text", "In the order of the text"), ("best", "Best first")], request.order)
    }

    /// Shows results.
    mutating func show(_ results: SearchResults, of request: Request) {
        let (total, books) = (results.total, results.counts.count)
        let all = results.counts.reduce(0) { $0 + $1.count }
        summary =
            "\(Self.number(total)) \(total == 1 ? "verse" : "verses")"
            + (request.part.isEmpty ? " in \(books) \(books == 1 ? "book" : "books")" : " of \(Self.number(all))")
        facets = results.counts.map { count in
            PageModel.Link(
                href: request.href { $0.part = count.book.id.rawValue }, text: count.book.name,
                note: Self.number(count.count), isCurrent: request.part == count.book.id.rawValue)
        }
        hasFacets = facets.count > 1
        if !request.part.isEmpty {
            whole = PageModel.Link(href: request.href { $0.part = "" }, text: "Everywhere", note: Self.number(all))
        }
        isEmpty = results.hits.isEmpty
        if isEmpty {
            advice =
                all > 0
                ? "Other books have it \(Self.number(all)) times. Search everywhere to see these verses."
                : "Check the spelling, search for any of the words, or search for beginnings of words."
        }
        let pages = (min(total, request.order == "best" ? SearchQuery.mostRanked : total) + 19) / 20
        if pages > 1 { pageText = "Page \(request.page + 1) of \(Self.number(pages))" }
        if request.page > 0 { previous = request.href { $0.page = request.page - 1 } }
        if results.hasMore { next = request.href { $0.page = request.page + 1 } }
        if !isEmpty {
            contextHref = request.href {
                $0.context = request.context > 0 ? 0 : 2
                $0.page = request.page
            }
            contextText = request.context > 0 ? "Hide the verses around" : "Show two verses around each"
        }
    }

    /// Returns the hits as a list.
    static func markup(_ results: SearchResults, shape: TextShape) -> Markup {
        let formatter = ReferenceFormatter(shape)
        let text = results.text.description
        var list = Markup()
        for hit in results.hits {
            let id = hit.verse.id
            list.open("li", ["class": "hit", "data-osis": id.description])
            let address = DeepLink(textID: text.id, chapter: id.chapter, verses: id.verse...id.verse).description
            list.element("a", ["class": "hit-place", "href": address]) { $0.text(formatter.text(Reference(id))) }
            list.open("p", ["lang": text.language, "dir": text.direction.rawValue, "class": "hit-text"])
            for verse in hit.before { around(verse, &list) }
            marked(hit, &list)
            for verse in hit.after { around(verse, &list) }
            list.close("p")
            list.close("li")
        }
        return list
    }

    private static func around(_ verse: StoredVerse, _ list: inout Markup) {
        list.element("span", ["class": "around"]) {
            $0.element("span", ["class": "n"]) { $0.text(verse.verse.label) }
            $0.text(verse.verse.text)
        }
        list.text(" ")
    }

    private static func marked(_ hit: SearchResults.Hit, _ list: inout Markup) {
        let text = hit.verse.verse.text
        let units = text.utf16
        var place = units.startIndex
        list.open("span", ["class": "found"])
        for match in hit.matches where match.upperBound <= units.count {
            let start = units.index(units.startIndex, offsetBy: match.lowerBound)
            let end = units.index(units.startIndex, offsetBy: match.upperBound)
            guard place <= start else { continue }
            list.text(text[place..<start])
            list.element("mark", ["class": "match"]) { $0.text(text[start..<end]) }
            place = end
        }
        list.text(text[place...])
        list.close("span")
        list.text(" ")
    }

    /// Returns a number with commas between thousands.
    static func number(_ value: Int) -> String {
        var digits = String(value)
        var place = digits.endIndex
        while let next = digits.index(place, offsetBy: -3, limitedBy: digits.startIndex), next > digits.startIndex {
            digits.insert(",", at: next)
            place = next
        }
        return digits
    }
}
