import Foundation
import LecternCore
import LecternTexts

/// The values of the list of marks.
struct MarksPage: Sendable {
    /// A mark.
    struct Entry: Sendable {
        let id: String
        let href: String
        let place: String
        let placeHref: String?
        let kind: String
        let colour: String
        let text: String
        let date: String
        let tags: String?
        let hasConflict: Bool
    }

    let entries: [Entry]
    let kinds: [PageModel.Link]
    let colours: [PageModel.Link]
    let tags: [PageModel.Link]
    let typed: String
    let kind: String
    let total: String
    let isEmpty: Bool
    let isFiltered: Bool
    let older: String?
    let canUndo: Bool
    let canRedo: Bool
}

/// The values of the page of one mark, or of marks to add to a place.
struct MarkPageModel: Sendable {
    /// A version of a note that lost a conflict.
    struct Version: Sendable {
        let id: String
        let text: String
        let date: String
    }

    let heading: String
    let placeHref: String?
    let id: String?
    let textID: String
    let osis: String?
    let isNote: Bool
    let isBookmark: Bool
    let isHighlight: Bool
    let isNew: Bool
    let text: String
    let label: String
    let base: String
    let colour: String
    let colours: [SearchPage.Option]
    let styles: [SearchPage.Option]
    let tags: [String]
    let lost: [Version]
    let verse: String?
}
