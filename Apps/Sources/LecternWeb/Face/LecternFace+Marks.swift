import Foundation
import HTTPTypes
import HablarePersistence
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    // MARK: Pages

    func marks(_ query: Query) async throws -> Response {
        func value(_ name: String) -> String { query[name] ?? "" }
        let (kind, colour, tag, typed) = (value("kind"), value("colour"), value("tag"), value("q"))
        let filter = MarkFilter(
            kinds: Set([Mark.Kind(rawValue: kind)].compactMap(\.self)),
            colours: Set([MarkColour(rawValue: colour)].compactMap(\.self)), tags: tag.isEmpty ? [] : [tag], text: typed
        )
        let pageCount = min(20, max(1, Int(value("n")) ?? 1))
        let (found, total, tags) = try await database.read { db in
            let store = MarkStore()
            return (
                try store.page(of: filter, size: 50 * pageCount, in: db).marks, try store.count(of: filter, in: db),
                try store.tags(in: db).map(\.tag)
            )
        }
        let texts = try await shelf.texts()
        var entries: [MarksPage.Entry] = []
        for mark in found { entries.append(try await entry(mark, texts)) }
        func href(kind: String? = nil, colour: String? = nil, tag: String? = nil, pages: Int = 1) -> String {
            let parts = [
                ("kind", kind ?? value("kind")), ("colour", colour ?? value("colour")), ("tag", tag ?? value("tag")),
                ("q", typed), ("n", pages > 1 ? String(pages) : ""),
            ].filter { !$0.1.isEmpty }.map { "\($0.0)=\(Addresses.encoded($0.1))" }
            return "/marks" + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
        }
        let kinds = [("", "All"), ("highlight", "Highlights"), ("note", "Notes"), ("bookmark", "Bookmarks")].map {
            PageModel.Link(href: href(kind: $0.0), text: $0.1, isCurrent: $0.0 == kind)
        }
        let state = await desk.state
        let page = MarksPage(
            entries: entries, kinds: kinds,
            colours: MarkColour.allCases.map { each in
                PageModel.Link(
                    href: href(colour: each.rawValue == colour ? "" : each.rawValue), text: each.rawValue.capitalized,
                    note: each.rawValue, isCurrent: each.rawValue == colour)
            }, tags: tags.map { PageModel.Link(href: href(tag: $0 == tag ? "" : $0), text: $0, isCurrent: $0 == tag) },
            typed: typed, kind: kind, total: "\(SearchPage.number(total)) \(total == 1 ? "mark" : "marks")",
            isEmpty: entries.isEmpty, isFiltered: filter != MarkFilter(),
            older: found.count < total && pageCount < 20 ? href(pages: pageCount + 1) : nil, canUndo: state.canUndo,
            canRedo: state.canRedo)
        return try pages.page("marks", await model { $0.marks = page })
    }

    private func entry(_ mark: Mark, _ texts: [StoredText]) async throws -> MarksPage.Entry {
        let (text, shape) = try await text(of: mark.place, texts)
        let reference = mark.place?.reference
        var words = mark.kind == .note ? mark.text : mark.label
        if mark.kind == .highlight, let text, let places = reference?.places, let number = places.lowerBound.verse,
            let book = reference?.book
        {
            let verse = try await database.read {
                try TextStore().verse(VerseID(book, places.lowerBound.chapter, number), of: text, in: $0)
            }
            if let verse {
                words = HighlightLayout.runs(of: verse.verse, in: verse.id.chapter, [mark])
                    .filter { !$0.marks.isEmpty }.map(\.text).joined()
            }
        }
        return MarksPage.Entry(
            id: mark.id.uuidString.lowercased(), href: "/mark/\(mark.id.uuidString.lowercased())",
            place: reference.map { ReferenceFormatter(shape ?? TextShape()).text($0) } ?? "On nothing",
            placeHref: text.flatMap { text in reference.map { Addresses.path(of: $0, in: text.id) } },
            kind: mark.kind.rawValue.capitalized, colour: mark.colour?.rawValue ?? "", text: String(words.prefix(400)),
            date: Wording.day(CalendarDay(mark.changedAt, offset: today.offset), today: today.day),
            tags: mark.tags.isEmpty ? nil : mark.tags.joined(separator: ", "), hasConflict: !mark.lost.isEmpty)
    }

    /// Returns the text in which a place can be read: its own, or the first of its versification.
    private func text(of place: MarkPlace?, _ texts: [StoredText]) async throws -> (StoredText?, TextShape?) {
        let text =
            switch place?.space {
            case .text(let id)?: texts.first { $0.id == id }
            case .versification(let name)?: texts.first { $0.description.versification == name }
            case nil: StoredText?.none
            }
        guard let text else { return (nil, nil) }
        return (text, try await shelf.shape(of: text))
    }

    /// The page that adds marks to a place of a text, or a note to nothing.
    func newMark(_ query: Query) async throws -> Response {
        let texts = try await shelf.texts()
        let text = texts.first { $0.id == query["in"] }
        let osis = query["at"] ?? ""
        let reference = OSISText.reference(osis)
        var (heading, words) = ("A note on nothing", "")
        if let text, let reference {
            let shape = try await shelf.shape(of: text)
            heading = ReferenceFormatter(shape).text(reference)
            if let place = reference.places?.lowerBound, let number = place.verse {
                words =
                    try await database.read {
                        try TextStore().verse(VerseID(reference.book, place.chapter, number), of: text, in: $0)
                    }?.verse.text ?? ""
            }
        }
        let page = MarkPageModel(
            heading: heading, placeHref: text.flatMap { text in reference.map { Addresses.path(of: $0, in: text.id) } },
            id: nil, textID: text?.id ?? "", osis: text == nil || reference == nil ? nil : osis, isNote: true,
            isBookmark: false, isHighlight: false, isNew: true, text: "", label: "", base: "", colour: "",
            colours: Self.colours(nil), styles: Self.styles(nil), tags: [], lost: [], verse: words.isEmpty ? nil : words
        )
        return try pages.page(
            "mark",
            await model {
                $0.mark = page
                $0.text = page.textID
            })
    }

    func mark(_ id: String) async throws -> Response {
        let found = try await database.read { db in
            try UUID(uuidString: id).flatMap { try MarkStore().mark($0, in: db) }
        }
        guard let found else {
            throw PersonalDataError(
                .gone, "This mark was removed. Undo the removal on the page of marks, or add it again.")
        }
        let entry = try await entry(found, try await shelf.texts())
        let page = MarkPageModel(
            heading: entry.place, placeHref: entry.placeHref, id: entry.id, textID: "", osis: nil,
            isNote: found.kind == .note, isBookmark: found.kind == .bookmark, isHighlight: found.kind == .highlight,
            isNew: false, text: found.text, label: found.label,
            base: found.version?.id.uuidString.lowercased() ?? "", colour: entry.colour,
            colours: Self.colours(found.colour), styles: Self.styles(found.style), tags: found.tags,
            lost: found.lost.map {
                MarkPageModel.Version(
                    id: $0.id.uuidString.lowercased(), text: $0.text,
                    date: Wording.day(CalendarDay($0.madeAt, offset: today.offset), today: today.day))
            }, verse: found.kind == .highlight ? entry.text : nil)
        return try pages.page("mark", await model { $0.mark = page })
    }

    private static func colours(_ chosen: MarkColour?) -> [SearchPage.Option] {
        MarkColour.allCases.map {
            SearchPage.Option(
                value: $0.rawValue, text: $0.rawValue.capitalized, isChosen: $0 == (chosen ?? .yellow))
        }
    }

    private static func styles(_ chosen: MarkStyle?) -> [SearchPage.Option] {
        MarkStyle.allCases.map {
            SearchPage.Option(value: $0.rawValue, text: $0.rawValue.capitalized, isChosen: $0 == (chosen ?? .marker))
        }
    }

    // MARK: Commands

    func addMarks(to commands: inout Commands) {
        let (personal, desk) = (personal, desk)
        commands.on("mark", MarkCommand.self) { command, _ in
            _ = try await personal.perform(command)
            desk.changedData()
        }
        commands.on("addMark", LecternCommand.AddMark.self, pageAfterForm: "/marks") { command, id in
            let place = try await place(command.text ?? "", command.at ?? "")
            let change: MarkCommand.Change =
                switch command.kind {
                case "highlight":
                    .addHighlight(
                        mark: id.uuid, place: try Self.required(place),
                        colour: MarkColour(rawValue: command.colour ?? "") ?? .yellow,
                        style: MarkStyle(rawValue: command.style ?? "") ?? .marker)
                case "bookmark":
                    .addBookmark(
                        mark: id.uuid, place: try Self.required(place), label: command.label ?? "", colour: nil)
                default: .addNote(mark: id.uuid, place: place, text: command.note ?? "")
                }
            try await perform(change, id)
        }
        commands.on("saveNote", LecternCommand.SaveNote.self, pageAfterForm: "/marks") { command, id in
            try await perform(
                .saveNote(
                    mark: try Self.id(command.mark), text: command.note, base: UUID(uuidString: command.base ?? "")),
                id)
        }
        commands.on("setMark", LecternCommand.SetMark.self, pageAfterForm: "/marks") { command, id in
            let mark = try Self.id(command.mark)
            if let label = command.label {
                try await perform(.setLabel(mark: mark, label: label, seen: nil), id)
            } else if let colour = command.colour {
                try await perform(.setColour(mark: mark, colour: MarkColour(rawValue: colour), seen: nil), id)
            } else if let style = MarkStyle(rawValue: command.style ?? "") {
                try await perform(.setStyle(mark: mark, style: style, seen: nil), id)
            } else if let tag = command.tag {
                try await perform(.addTag(mark: mark, tag: tag), id)
            } else if let tag = command.untag {
                try await perform(.removeTag(mark: mark, tag: tag), id)
            }
        }
        commands.on("settle", LecternCommand.Named.self, pageAfterForm: "/marks") { command, id in
            try await perform(.settleConflict(version: try Self.id(command.name)), id)
        }
        commands.on("removeMark", LecternCommand.Named.self, pageAfterForm: "/marks") { command, id in
            try await perform(.remove(mark: try Self.id(command.name)), id)
        }
        commands.on("undo", LecternCommand.Nothing.self, pageAfterForm: "/marks") { _, id in
            let step = try await personal.undo(command: id.uuid)
            desk.changedData()
            return ["name": step.name]
        }
        commands.on("redo", LecternCommand.Nothing.self, pageAfterForm: "/marks") { _, id in
            let step = try await personal.redo(command: id.uuid)
            desk.changedData()
            return ["name": step.name]
        }
    }

    private func perform(_ change: MarkCommand.Change, _ id: CommandID) async throws {
        _ = try await personal.perform(MarkCommand(id: id.uuid, madeAt: Moment(id.date), change))
        await desk.changedData()
    }

    private func place(_ text: String, _ osis: String) async throws -> MarkPlace? {
        guard !osis.isEmpty else { return nil }
        guard let reference = OSISText.reference(osis) else {
            throw PersonalDataError(.invalid, "The place is not understood. Write it like John.3.16.")
        }
        let description = try await shelf.text(text).description
        let space: MarkPlace.Space =
            description.versification.isEmpty ? .text(description.id) : .versification(description.versification)
        return MarkPlace(space, reference)
    }

    private static func required(_ place: MarkPlace?) throws -> MarkPlace {
        guard let place else { throw PersonalDataError(.invalid, "Choose a verse first.") }
        return place
    }

    static func id(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else {
            throw PersonalDataError(.gone, "That does not exist any more. Reload the page.")
        }
        return id
    }
}

extension CommandID {
    /// The date in the id: when the page made it. A command that is sent again has the same date, and so is the same.
    var date: Date {
        let bytes = uuid.uuid
        let parts = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5]
        return Date(timeIntervalSince1970: Double(parts.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) / 1000)
    }
}
