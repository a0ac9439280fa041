import Foundation
import HTTPTypes
import HablarePersistence
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    func addPages(to router: Router<FaceContext>) {
        router.get("/") { _, _ in try await front() }
        router.get("/go") { request, _ in try await go(Query(request)) }
        router.get("/search") { request, _ in try await search(Query(request)) }
        router.get("/suggest") { request, _ in try await suggest(Query(request)) }
        router.get("/voices") { request, _ in try await voices(Query(request)) }
        router.get("/marks") { request, _ in try await marks(Query(request)) }
        router.get("/mark") { request, _ in try await newMark(Query(request)) }
        router.get("/mark/:id") { _, context in try await mark(context.parameters.get("id") ?? "") }
        router.get("/plans") { _, _ in try await plansPage() }
        router.get("/plans/:id/reminders.ics") { request, context in
            try await reminders(context.parameters.get("id") ?? "", Query(request)["at"])
        }
        router.get("/history") { _, _ in try await history() }
        router.get("/texts") { _, _ in try await texts() }
        router.get("/settings") { _, _ in try pages.page("settings", await model { _ in }) }
        router.get("/data") { _, _ in try pages.page("data", await model { _ in }) }
        router.get("/data/lectern.json") { _, _ in try await exportedData() }
        router.get("/data/notes.md") { _, _ in try await exportedNotes(asJSON: false) }
        router.get("/data/notes.json") { _, _ in try await exportedNotes(asJSON: true) }
        router.get("/:text") { _, context in try await books(context.parameters.get("text") ?? "") }
        router.get("/:text/:book") { _, context in
            try await chapters(context.parameters.get("text") ?? "", context.parameters.get("book") ?? "")
        }
        router.get("/:text/:book/:chapter") { request, context in
            try await chapter(
                request, context.parameters.get("text") ?? "", context.parameters.get("book") ?? "",
                context.parameters.get("chapter") ?? "")
        }
    }

    static func redirect(_ address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }

    // MARK: Front

    private func front() async throws -> Response {
        let texts = try await shelf.texts()
        var page = FrontPage(hasTexts: !texts.isEmpty)
        let recent = try await database.read { try ReadingLog().recentChapters(limit: 8, in: $0) }
        page.recent = try await links(recent, among: texts)
        page.goOn = page.recent.first
        page.recent = Array(page.recent.dropFirst())
        page.hasRecent = !page.recent.isEmpty
        let main = recent.first.flatMap { last in texts.first { $0.id == last.text } } ?? texts.first
        if let main {
            let verse = try await BibleService(textID: main.id, database: database)
                .loadDailyVerse(day: today.day.rawValue)
            let shape = try await shelf.shape(of: main)
            page.verse = verse.verse.text
            page.verseReference =
                main.description.kind == .scripture
                ? ReferenceFormatter(shape).text(Reference(verse.id)) : main.description.title
            page.verseHref =
                DeepLink(textID: main.id, chapter: verse.id.chapter, verses: verse.id.verse...verse.id.verse)
                .description
            (page.language, page.direction) = (main.description.language, main.description.direction.rawValue)
        }
        page.texts = texts.map {
            PageModel.Link(href: "/\($0.id)", text: $0.description.title, note: $0.description.abbreviation)
        }
        page.today = try await planModels().filter { $0.hasToday }
        page.hasToday = !page.today.isEmpty
        let (shown, id) = (page, main?.id ?? "")
        return try pages.page(
            "front",
            await model {
                $0.front = shown
                $0.text = id
            })
    }

    /// Returns links to chapters that exist.
    private func links(
        _ chapters: [(text: String, chapter: ChapterID)], among texts: [StoredText]
    ) async throws -> [PageModel.Link] {
        var links: [PageModel.Link] = []
        for (id, chapter) in chapters {
            guard let text = texts.first(where: { $0.id == id }) else { continue }
            let shape = try await shelf.shape(of: text)
            guard shape[chapter] != nil else { continue }
            links.append(
                PageModel.Link(
                    href: Addresses.path(of: chapter, in: id),
                    text: text.description.kind == .scripture
                        ? ChapterPage.name(of: chapter, shape) : text.description.title,
                    note: text.description.abbreviation))
        }
        return links
    }

    // MARK: References

    private func go(_ query: Query) async throws -> Response {
        let typed = query["q"] ?? ""
        let texts = try await shelf.texts()
        guard let text = texts.first(where: { $0.id == query["in"] }) ?? texts.first else {
            return Self.redirect("/")
        }
        let shape = try await shelf.shape(of: text)
        let context = query["at"].flatMap { OSISText.reference($0) }.flatMap { reference in
            reference.places.map { ChapterID(reference.book, $0.lowerBound.chapter) }
        }
        let searchHref = "/search?q=\(Addresses.encoded(typed))&in=\(text.id)"
        let formatter = ReferenceFormatter(shape)
        func link(_ references: [Reference]) -> PageModel.Link {
            PageModel.Link(
                href: references.first.map { Addresses.path(of: $0, in: text.id) } ?? "/",
                text: formatter.text(references))
        }
        let page: PassagesPage
        switch ReferenceParser(shape).parse(typed, context: context) {
        case .found(let references) where references.count == 1:
            return Self.redirect(link(references).href)
        case .found(let references):
            page = PassagesPage(
                heading: formatter.text(references), advice: "Choose a passage.",
                links: references.map { link([$0]) }, searchHref: searchHref)
        case .ambiguous(let choices):
            page = PassagesPage(
                heading: "Which one?", advice: "\u{201C}\(typed)\u{201D} can be read in several ways.",
                links: choices.map(link), searchHref: searchHref)
        case .missing(let nearest):
            page = PassagesPage(
                heading: "\(text.description.abbreviation) does not have that",
                advice: nearest.isEmpty
                    ? "There is nothing near \u{201C}\(typed)\u{201D}. Choose another text, or search for the words."
                    : "These are nearest to \u{201C}\(typed)\u{201D}.",
                links: nearest.map(link), searchHref: searchHref)
        case .notAReference: return Self.redirect(searchHref)
        }
        return try pages.page(
            "passages",
            await model {
                $0.passages = page
                ($0.text, $0.typed, $0.at) = (text.id, typed, query["at"] ?? "")
            })
    }

    // MARK: Books and chapters

    private func books(_ id: String) async throws -> Response {
        let text = try await shelf.text(id)
        let shape = try await shelf.shape(of: text)
        if text.description.kind == .book, let book = shape.books.first {
            return try await chapters(id, book.description.id.rawValue)
        }
        var page = BooksPage(title: text.description.title, heading: text.description.title)
        page.rights = text.description.rights
        let titles: [(BookCatalogue.Testament?, String)] = [
            (.old, "Old Testament"), (.new, "New Testament"), (.deuterocanon, "Deuterocanon"), (nil, "Other books"),
        ]
        for (testament, title) in titles {
            let books = shape.books.filter { BookCatalogue.standard[$0.description.id]?.testament == testament }
            guard !books.isEmpty else { continue }
            page.groups.append(
                BooksPage.Group(
                    title: title,
                    books: books.map { book in
                        let path = "/\(id)/\(book.description.id.rawValue.lowercased())"
                        return PageModel.Link(
                            href: book.hasOneChapter ? "\(path)/\(book.chapters.last?.number ?? 1)" : path,
                            text: book.description.name)
                    }))
        }
        let shown = page
        return try pages.page(
            "books",
            await model {
                $0.books = shown
                $0.text = id
            })
    }

    private func chapters(_ id: String, _ name: String) async throws -> Response {
        let text = try await shelf.text(id)
        let book = try await shelf.book(name, of: text)
        let stored = try await database.read { try TextStore().books(of: text, in: $0) }
        let names = stored.first { $0.id == book.description.id }?.chapters ?? []
        let isBook = text.description.kind == .book
        let heading = isBook ? text.description.title : book.description.name
        var page = BooksPage(title: "\(heading) · \(text.description.abbreviation)", heading: heading)
        if !isBook { page.up = PageModel.Link(href: "/\(id)", text: text.description.title) }
        page.rights = text.description.rights
        page.hasNames = names.contains { $0.title != nil }
        page.chapters = names.map { chapter in
            PageModel.Link(
                href: "/\(id)/\(book.description.id.rawValue.lowercased())/\(chapter.number)",
                text: chapter.title ?? (chapter.number == 0 ? "Preface" : String(chapter.number)))
        }
        let shown = page
        return try pages.page(
            "books",
            await model {
                $0.books = shown
                $0.text = id
                $0.at = "\(book.description.id).1"
            })
    }

    // MARK: A chapter

    private func chapter(_ request: Request, _ id: String, _ name: String, _ number: String) async throws -> Response {
        let key = request.uri.string
        let (kept, generation) = cache.page(key)
        if let kept { return Self.page(kept) }
        let text = try await shelf.text(id)
        let book = try await shelf.book(name, of: text)
        let address = book.description.id.rawValue.lowercased()
        guard let number = Int(number), number >= 0, number < 1_000_000 else {
            throw ReadingError(.malformed, "This address is not one of a chapter. Write it like /kjv/john/3.")
        }
        guard name == address else {
            return Self.redirect("/\(id)/\(address)/\(number)" + (request.uri.query.map { "?\($0)" } ?? ""))
        }
        let query = Query(request)
        var seen: Set<String> = [id]
        let others = (query["with"] ?? "").split(separator: ",").prefix(3).map(String.init)
            .filter { seen.insert($0).inserted }
        let chapter = ChapterID(book.description.id, number)
        let (passage, marks, texts) = try await database.read { db in
            let store = TextStore()
            return (
                try store.passage(chapter, of: text, in: db),
                try MarkStore().marks(of: chapter, in: text.description, db), try store.texts(in: db)
            )
        }
        let shape = try await shelf.shape(of: text)
        var slots: [String: Markup] = [:]
        if others.isEmpty {
            var writer = ChapterMarkup(
                passage, marks: marks, aim: Addresses.verses(query["verses"]), shape: shape)
            let (body, notes) = writer.write()
            slots = ["chapter": body, "notes": notes]
        } else {
            let parallel = try await BibleService(textID: id, database: database)
                .loadParallel(book: chapter.book, chapter: number, beside: others)
            slots = ["chapter": Self.markup(parallel)]
        }
        let page = ChapterPage(
            passage, shape: shape, texts: texts, with: others, hasNotes: slots["notes"]?.isEmpty == false, marks: marks)
        let html = try pages.html(
            "chapter",
            await model {
                $0.chapter = page
                ($0.text, $0.at) = (id, chapter.description)
            }, slots: slots)
        let buffer = ByteBuffer(string: html)
        cache.keep(buffer, for: key, generation: generation)
        return Self.page(buffer)
    }

    private static func page(_ buffer: ByteBuffer) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: buffer))
    }

    /// Returns texts beside each other: a row for each verse, a cell for each text.
    private static func markup(_ parallel: ParallelPassage) -> Markup {
        var markup = Markup()
        markup.open("div", ["class": "columns c\(min(4, parallel.texts.count))"])
        for text in parallel.texts {
            markup.element("p", ["class": "column-head"]) { $0.text(text.description.abbreviation) }
        }
        for row in parallel.rows {
            for (column, verses) in row.cells.enumerated() {
                let text = parallel.texts[column].description
                markup.open(
                    "p",
                    [
                        "class": verses.isEmpty ? "cell lacks" : "cell", "lang": text.language,
                        "dir": text.direction.rawValue, "data-text": text.abbreviation,
                    ])
                for verse in verses {
                    let osis = VerseID(parallel.chapter, verse.number).description
                    let isMain = column == 0
                    markup.open(
                        "span",
                        [
                            "class": "v", "id": isMain ? "v\(verse.number)" : nil, "data-osis": osis,
                            "data-v": String(verse.number),
                        ])
                    if verse.number > 0 {
                        markup.element("span", ["class": "n", "id": isMain ? String(verse.number) : nil]) {
                            $0.text(verse.label)
                        }
                    }
                    markup.text(verse.text)
                    markup.close("span")
                }
                if verses.isEmpty { markup.element("span", ["class": "visually-hidden"]) { $0.text("No such verse") } }
                markup.close("p")
            }
        }
        markup.close("div")
        return markup
    }

    // MARK: Texts and history

    private func texts() async throws -> Response {
        let texts = try await libraryTexts()
        return try pages.page(
            "texts", await model { $0.library = LibraryPage(texts: texts, isEmpty: texts.isEmpty) })
    }

    /// Returns the texts as lists show them.
    func libraryTexts() async throws -> [LibraryPage.Text] {
        try await shelf.texts().map { text in
            LibraryPage.Text(
                id: text.id, href: "/\(text.id)", title: text.description.title,
                facts: text.description.kind == .scripture
                    ? "\(text.bookCount) books · \(SearchPage.number(text.verseCount)) verses"
                    : "\(text.chapterCount) chapters · \(SearchPage.number(text.wordCount)) words",
                rights: text.description.rights)
        }
    }

    private func history() async throws -> Response {
        let events = try await database.read { try ReadingLog().history(limit: 200, in: $0) }
        let texts = try await shelf.texts()
        let (today, offset) = today
        var days: [HistoryPage.Day] = []
        for event in events {
            let title = Wording.day(CalendarDay(event.endedAt, offset: offset), today: today)
            guard var link = try await links([(event.text, event.chapter)], among: texts).first else { continue }
            if let verse = event.verse, verse > 0 { link.href += "#\(verse)" }
            let minutes = (Int(event.endedAt.rawValue / 1000) + offset) / 60
            let clock = (minutes % 1440 + 1440) % 1440
            let part = String(clock % 60)
            link.note += " · \(clock / 60):\(part.count < 2 ? "0" + part : part)"
            if days.last?.title != title { days.append(HistoryPage.Day(title: title, entries: [])) }
            days[days.count - 1].entries.append(link)
        }
        let page = HistoryPage(days: days, isEmpty: days.isEmpty)
        return try pages.page("history", await model { $0.history = page })
    }
}
