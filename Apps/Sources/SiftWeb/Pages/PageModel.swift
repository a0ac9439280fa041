import Foundation
import HablareWeb
import Mustache

/// The values of a page. Templates read stored properties by their names.
struct PageModel: Sendable {
    /// The page that is marked in the menu.
    struct Marks: Sendable {
        var deck = false
        var library = false
        var alike = false
        var review = false
        var history = false
        var settings = false
    }

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

    var pages = Marks()
    let commandID = FreshID()
    let deck: DeckState
    let session: SessionState
    let queue: QueueState
    let library: LibraryState
    let settings: SettingsState
    let review: ReviewState
    var photo: PhotoState?
    var compare: ComparePage?
    var history: HistoryPage?
    var list: LibraryPage?
    var alike: AlikePage?
    var libraries: [LibraryChoice] = []
}
