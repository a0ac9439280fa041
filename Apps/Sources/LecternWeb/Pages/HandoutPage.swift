import LecternCore
import LecternTexts

/// The values of the page on which a person makes files of a text.
struct HandoutPage: Sendable {
    /// A choice of a form.
    struct Choice: Sendable {
        let value: String
        let title: String
        var note = ""
        var isChosen = false
    }

    let items: [HandoutState.Item]
    let isBusy: Bool
    var texts: [PageModel.Link]
    var hasTexts: Bool
    /// The id of the chosen text.
    var text = ""
    var textTitle = ""
    var parts: [Choice] = []
    let forms = [
        Choice(
            value: Handout.Form.talkingBook.rawValue, title: "Talking book",
            note: "EPUB 3.3: the text, and the voice that reads it", isChosen: true),
        Choice(
            value: Handout.Form.audio.rawValue, title: "Audio",
            note: "Ogg Opus with chapters, and WebVTT, in a zip file"),
        Choice(value: Handout.Form.book.rawValue, title: "Book", note: "EPUB without audio"),
        Choice(value: Handout.Form.text.rawValue, title: "Plain text", note: "UTF-8, a line for each verse"),
    ]

    init(state: HandoutState, texts: [StoredText]) {
        items = state.items
        isBusy = state.isBusy
        self.texts = texts.map { PageModel.Link(href: "/handouts?in=\($0.id)", text: $0.description.title) }
        hasTexts = !texts.isEmpty
    }

    /// Offers the parts of a text: the chapter and the book that were read, and the whole text.
    mutating func choose(_ text: StoredText, at reference: Reference?, _ shape: TextShape) {
        self.text = text.id
        textTitle = text.description.title
        for index in texts.indices { texts[index].isCurrent = texts[index].href == "/handouts?in=\(text.id)" }
        if let reference, shape[reference.book] != nil, text.description.kind == .scripture {
            let formatter = ReferenceFormatter(shape)
            if let first = reference.places?.lowerBound.chapter,
                shape[ChapterID(reference.book, first)] != nil
            {
                let chapter = ChapterID(reference.book, first)
                parts.append(
                    Choice(value: chapter.description, title: ChapterPage.name(of: chapter, shape), isChosen: true))
            }
            parts.append(
                Choice(
                    value: reference.book.rawValue, title: formatter.text(Reference(reference.book)), note: "the book",
                    isChosen: parts.isEmpty))
        } else if let reference, let first = reference.places?.lowerBound.chapter,
            shape[ChapterID(reference.book, first)] != nil
        {
            parts.append(
                Choice(
                    value: ChapterID(reference.book, first).description, title: "This chapter", isChosen: true))
        }
        parts.append(Choice(value: "", title: text.description.title, note: "all of it", isChosen: parts.isEmpty))
    }

    /// Returns the name of a form.
    static func name(of form: Handout.Form) -> String {
        switch form {
        case .talkingBook: "Talking book"
        case .book: "Book"
        case .audio: "Audio"
        case .text: "Plain text"
        }
    }
}
