import LecternCore
import LecternTexts

/// The values of the first page.
struct FrontPage: Sendable {
    var verse = ""
    var verseReference = ""
    var verseHref = ""
    var language = "en"
    var direction = "ltr"
    var goOn: PageModel.Link?
    var recent: [PageModel.Link] = []
    var today: [PlansPage.Plan] = []
    var texts: [PageModel.Link] = []
    let hasTexts: Bool
    var hasRecent: Bool = false
    var hasToday = false
}

/// The values of the list of a text's books, or of a book's chapters.
struct BooksPage: Sendable {
    /// Books below a heading.
    struct Group: Sendable {
        let title: String
        let books: [PageModel.Link]
    }

    let title: String
    let heading: String
    var up: PageModel.Link?
    var groups: [Group] = []
    var chapters: [PageModel.Link] = []
    /// Whether the chapters have names.
    var hasNames = false
    var rights = ""
}

/// The values of the page that offers passages for what was typed.
struct PassagesPage: Sendable {
    let heading: String
    let advice: String
    let links: [PageModel.Link]
    let searchHref: String
}

/// The values of the list of texts.
struct LibraryPage: Sendable {
    /// A text.
    struct Text: Sendable {
        let id: String
        let href: String
        let title: String
        let facts: String
        let rights: String
    }

    let texts: [Text]
    let isEmpty: Bool
}

/// The values of the history.
struct HistoryPage: Sendable {
    /// A day.
    struct Day: Sendable {
        let title: String
        var entries: [PageModel.Link]
    }

    var days: [Day]
    let isEmpty: Bool
}
