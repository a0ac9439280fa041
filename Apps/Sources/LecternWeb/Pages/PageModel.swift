import Foundation
import HablareWeb
import LecternCore
import Mustache

/// The values of a page. Templates read stored properties by their names.
struct PageModel: Sendable {
    /// A new id each time it is written, for forms of pages without scripts.
    struct FreshID: MustacheCustomRenderable, Sendable {
        /// The id.
        var renderText: String {
            var generator = SystemRandomNumberGenerator()
            return CommandID(date: Date(), using: &generator).description
        }
        /// Always false: there is an id.
        var isNull: Bool { false }
    }

    /// A link with its text.
    struct Link: Sendable {
        var href: String
        var text: String
        var note = ""
        var isCurrent = false
    }

    let commandID = FreshID()
    let settings: SettingsView
    /// The id of the text in which the field for references looks.
    var text = ""
    /// The place that references without a book refer to, such as `John.3`.
    var at = ""
    /// The text in the field for references.
    var typed = ""
    var texts: [Link] = []
    var chapter: ChapterPage?
    var front: FrontPage?
    var books: BooksPage?
    var passages: PassagesPage?
    var search: SearchPage?
    var marks: MarksPage?
    var mark: MarkPageModel?
    var plans: PlansPage?
    var history: HistoryPage?
    var library: LibraryPage?
    var handouts: HandoutPage?
}
