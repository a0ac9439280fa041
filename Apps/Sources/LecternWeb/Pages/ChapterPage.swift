import Foundation
import HablareWeb
import LecternCore
import LecternTexts

/// The values of the page of a chapter, and of several texts beside each other.
struct ChapterPage: Sendable {
    /// A mark of the person's in the list below the chapter.
    struct Entry: Sendable {
        let href: String
        let place: String
        let text: String
        let kind: String
    }

    let title: String
    let book: String
    let bookHref: String
    let booksHref: String
    /// The number of the chapter; `nil` for a preface, and in a book of one's own.
    let number: String?
    /// The name of the chapter, if it has one.
    let name: String?
    let textID: String
    let abbreviation: String
    let textTitle: String
    let rights: String
    let language: String
    let direction: String
    let osis: String
    let space: String
    let kind: String
    let previous: PageModel.Link?
    let next: PageModel.Link?
    let editions: [PageModel.Link]
    let beside: [PageModel.Link]
    let isParallel: Bool
    let hasNotes: Bool
    var entries: [Entry] = []
    let hasEntries: Bool

    init(
        _ passage: Passage, shape: TextShape, texts: [StoredText], with others: [String], hasNotes: Bool, marks: [Mark]
    ) {
        let (text, id) = (passage.text.description, passage.chapter.id)
        let path = Addresses.path(of: id, in: text.id)
        let query = others.isEmpty ? "" : "?with=" + others.map(Addresses.encoded).joined(separator: ",")
        func link(_ chapter: ChapterID?) -> PageModel.Link? {
            chapter.map {
                PageModel.Link(
                    href: Addresses.path(of: $0, in: text.id) + query,
                    text: text.kind == .scripture
                        ? Self.name(of: $0, shape)
                        : $0.chapter == 0 ? "Preface" : "Chapter \($0.chapter)")
            }
        }
        number = id.chapter > 0 && text.kind == .scripture ? String(id.chapter) : nil
        let fullName = Self.name(of: id, shape)
        name = passage.chapter.title == fullName ? nil : passage.chapter.title
        book = text.kind == .book ? text.title : passage.book.name
        let heading = text.kind == .book ? passage.chapter.title ?? book : fullName
        title = "\(heading) · \(text.abbreviation)"
        booksHref = "/\(text.id)"
        bookHref = "/\(text.id)/\(id.book.rawValue.lowercased())"
        textID = text.id
        abbreviation = text.abbreviation
        textTitle = text.title
        rights = text.rights
        language = text.language
        direction = text.direction.rawValue
        osis = id.description
        space =
            text.versification.isEmpty
            ? MarkPlace.Space.text(text.id).text : MarkPlace.Space.versification(text.versification).text
        kind = text.kind.rawValue
        previous = link(passage.previous)
        next = link(passage.next)
        let same = texts.filter { other in
            other.id == text.id || text.kind == .scripture && other.description.kind == .scripture
        }
        editions = same.map {
            PageModel.Link(
                href: Addresses.path(of: id, in: $0.id), text: $0.description.title, note: $0.description.abbreviation,
                isCurrent: $0.id == text.id)
        }
        beside = same.filter { $0.id != text.id }.map { other in
            let isShown = others.contains(other.id)
            let rest = isShown ? others.filter { $0 != other.id } : others + [other.id]
            return PageModel.Link(
                href: path + (rest.isEmpty ? "" : "?with=" + rest.joined(separator: ",")),
                text: "\(isShown ? "Without" : "Beside") \(other.description.abbreviation)",
                isCurrent: isShown)
        }
        isParallel = !others.isEmpty
        self.hasNotes = hasNotes
        let formatter = ReferenceFormatter(shape, isAbbreviated: true)
        entries = marks.filter { $0.kind != .highlight }.map { mark in
            Entry(
                href: "/mark/\(mark.id.uuidString.lowercased())",
                place: mark.place.map { formatter.text($0.reference) } ?? "",
                text: mark.kind == .note ? mark.text : mark.label,
                kind: mark.kind == .note ? "Note" : "Bookmark")
        }
        hasEntries = !entries.isEmpty
    }

    /// Returns the name of a chapter, such as `John 3` or `Psalm 23`.
    static func name(of chapter: ChapterID, _ shape: TextShape) -> String {
        chapter.chapter == 0
            ? "\(shape[chapter.book]?.description.name ?? chapter.book.rawValue), preface"
            : ReferenceFormatter(shape).text(Reference(chapter))
    }
}
