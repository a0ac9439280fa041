import Foundation
import GRDB
import LecternTexts

/// Carries out commands about marks, in a transaction.
struct MarkEditor {
    let command: MarkCommand
    let now: Moment
    let db: Database
    var recorder: RowRecorder

    /// The fields that two devices may edit apart. The later edit of each field wins.
    private enum Field: String { case colour, style, label, place, folder }

    init(_ command: MarkCommand, at now: Moment, recorder: RowRecorder, in db: Database) {
        self.command = command
        self.now = now
        self.recorder = recorder
        self.db = db
    }

    /// The time of the edit. A device whose clock is ahead does not win over edits of the time to come.
    private var madeAt: Moment { min(command.madeAt, now) }

    mutating func run() throws -> MarkOutcome {
        let command = command
        switch command.change {
        case .addBookmark(let id, let place, let label, let colour):
            try add(id, .bookmark, place) { columns in
                try columns.merge(Self.columns(label: label)) { _, new in new }
                columns["colour"] = Self.value(colour?.rawValue)
            }
        case .addHighlight(let id, let place, let colour, let style):
            try add(id, .highlight, place) { columns in
                columns["colour"] = .text(colour.rawValue)
                columns["style"] = .text(style.rawValue)
            }
        case .addNote(let id, let place, let text):
            try add(id, .note, place) { $0["version"] = command.id.value }
            try addVersion(of: id, text, base: nil)
        case .saveNote(let id, let text, let base): return try save(id, text, base: base)
        case .settleConflict(let version): return try settle(version)
        case .setColour(let id, let colour, let seen):
            return try set(.colour, of: id, ["colour": Self.value(colour?.rawValue)], seen: seen) { kind in
                guard kind == Mark.Kind.highlight.rawValue, colour == nil else { return }
                throw PersonalDataError(.invalid, "A highlight needs a colour. Choose one, or remove the highlight.")
            }
        case .setStyle(let id, let style, let seen):
            return try set(.style, of: id, ["style": .text(style.rawValue)], seen: seen) { kind in
                guard kind != Mark.Kind.highlight.rawValue else { return }
                throw PersonalDataError(.invalid, "Only a highlight has a style.")
            }
        case .setLabel(let id, let label, let seen):
            return try set(.label, of: id, Self.columns(label: label), seen: seen)
        case .setPlace(let id, let place, let seen):
            return try set(.place, of: id, Self.columns(of: place), seen: seen) { kind in
                guard place == nil, kind != Mark.Kind.note.rawValue else { return }
                throw PersonalDataError(.invalid, "Only a note can be on nothing. Choose a passage.")
            }
        case .setFolder(let id, let folder, let seen):
            if let folder { _ = try self.folder(folder) }
            return try set(.folder, of: id, ["folder": folder?.value ?? .null], seen: seen)
        case .addTag(let id, let tag):
            _ = try mark(id)
            let tag = try MarkLimits.name(tag, MarkLimits.tag, "tag")
            return try changed { editor in
                try editor.recorder.write(.markTag, ["mark": id.value, "tag": .text(tag)], [:], in: editor.db)
            }
        case .removeTag(let id, let tag):
            let tag = try MarkLimits.name(tag, MarkLimits.tag, "tag")
            return try changed { editor in
                try editor.recorder.remove(.markTag, ["mark": id.value, "tag": .text(tag)], in: editor.db)
            }
        case .remove(let id):
            let mark = try mark(id)
            try write(id, ["isRemoved": .integer(1)], after: mark)
        case .addFolder(let id, let name):
            guard try RowChange.image(of: .markFolder, ["id": id.value], in: db) == nil else { throw Self.exists }
            try writeFolder(id, ["name": .text(try MarkLimits.name(name, MarkLimits.name, "folder"))])
        case .renameFolder(let id, let name):
            _ = try folder(id)
            let name = try MarkLimits.name(name, MarkLimits.name, "folder")
            return try changed { try $0.writeFolder(id, ["name": .text(name)]) }
        case .removeFolder(let id):
            _ = try folder(id)
            try writeFolder(id, ["isRemoved": .integer(1)])
        }
        return .changed
    }

    // MARK: Notes

    private mutating func save(_ id: UUID, _ text: String, base: UUID?) throws -> MarkOutcome {
        guard let mark = try RowChange.image(of: .mark, ["id": id.value], in: db),
            mark["kind"] == .text(Mark.Kind.note.rawValue)
        else { throw Self.gone }
        let current = mark["version"] ?? .null
        let row = try RowChange.image(of: .noteVersion, ["id": current], in: db)
        if mark["isRemoved"] == .integer(0), row?["text"] == .text(try MarkLimits.note(text)) { return .unchanged }
        let isConflict = base?.value != current
        try addVersion(of: id, text, base: base)
        if isConflict, case .integer(let other)? = row?["madeAt"], madeAt.rawValue < other {
            try write(id, ["isRemoved": .integer(0)], after: mark)
            try lose(command.id, of: id)
            return .conflict(lost: command.id)
        }
        try write(id, ["version": command.id.value, "isRemoved": .integer(0)], after: mark)
        guard isConflict, case .text(let lost) = current, let lost = UUID(uuidString: lost) else { return .changed }
        try lose(lost, of: id)
        return .conflict(lost: lost)
    }

    private mutating func lose(_ version: UUID, of note: UUID) throws {
        try recorder.write(.lostVersion, ["version": version.value], ["note": note.value], in: db)
    }

    /// Adds a version. It stays after an undo, so it is not part of the recorded changes.
    private func addVersion(of note: UUID, _ text: String, base: UUID?) throws {
        let text = try MarkLimits.note(text)
        try db.execute(
            sql: "INSERT INTO noteVersion (id, note, text, madeAt, base) VALUES (?, ?, ?, ?, ?)",
            arguments: [command.id.key, note.key, text, madeAt.rawValue, base?.key])
        try NoteIndex.add(command.id.key, text, in: db)
    }

    private mutating func settle(_ version: UUID) throws -> MarkOutcome {
        try changed { editor in
            try editor.recorder.remove(.lostVersion, ["version": version.value], in: editor.db)
        }
    }

    // MARK: Marks

    private mutating func add(
        _ id: UUID, _ kind: Mark.Kind, _ place: MarkPlace?, _ fill: (inout RowImage) throws -> Void
    ) throws {
        guard try RowChange.image(of: .mark, ["id": id.value], in: db) == nil else { throw Self.exists }
        var columns: RowImage = [
            "kind": .text(kind.rawValue), "createdAt": .integer(madeAt.rawValue),
            "changedAt": .integer(madeAt.rawValue), "revision": .integer(1), "edits": .text("{}"),
        ]
        try columns.merge(Self.columns(of: place)) { _, new in new }
        try fill(&columns)
        try recorder.write(.mark, ["id": id.value], columns, in: db)
    }

    private mutating func set(
        _ field: Field, of id: UUID, _ columns: RowImage, seen: Int?, check: (String) throws -> Void = { _ in }
    ) throws -> MarkOutcome {
        let mark = try mark(id)
        guard case .text(let kind)? = mark["kind"] else { throw Self.gone }
        try check(kind)
        var edits = try Self.edits(of: mark)
        if let seen, mark["revision"] != .integer(Int64(seen)), let last = edits[field.rawValue],
            madeAt.rawValue < last
        {
            return .superseded
        }
        guard columns.contains(where: { mark[$0.key] != $0.value }) else { return .unchanged }
        edits[field.rawValue] = madeAt.rawValue
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(edits), as: UTF8.self)
        try write(id, columns.merging(["edits": .text(text)]) { $1 }, after: mark)
        return .changed
    }

    private mutating func write(_ id: UUID, _ columns: RowImage, after mark: RowImage) throws {
        guard case .integer(let revision)? = mark["revision"] else { throw Self.gone }
        try recorder.write(
            .mark, ["id": id.value],
            columns.merging(["revision": .integer(revision + 1), "changedAt": .integer(madeAt.rawValue)]) { $1 },
            in: db)
    }

    private mutating func writeFolder(_ id: UUID, _ columns: RowImage) throws {
        try recorder.write(.markFolder, ["id": id.value], columns, in: db)
    }

    private mutating func changed(_ body: (inout MarkEditor) throws -> Void) throws -> MarkOutcome {
        let count = recorder.changes.count
        try body(&self)
        return recorder.changes.count > count ? .changed : .unchanged
    }

    private func mark(_ id: UUID) throws -> RowImage {
        guard let mark = try RowChange.image(of: .mark, ["id": id.value], in: db), mark["isRemoved"] == .integer(0)
        else { throw Self.gone }
        return mark
    }

    private func folder(_ id: UUID) throws -> RowImage {
        guard let folder = try RowChange.image(of: .markFolder, ["id": id.value], in: db),
            folder["isRemoved"] == .integer(0)
        else {
            throw PersonalDataError(.gone, "The folder was removed. Choose another folder.")
        }
        return folder
    }

    // MARK: Columns

    private static func edits(of mark: RowImage) throws -> [String: Int64] {
        guard case .text(let text)? = mark["edits"] else { return [:] }
        return try JSONDecoder().decode([String: Int64].self, from: Data(text.utf8))
    }

    private static func columns(label: String) throws -> RowImage {
        let label = try MarkLimits.label(label)
        return ["label": .text(label), "foldedLabel": .text(NoteIndex.fold(label))]
    }

    private static func columns(of place: MarkPlace?) throws -> RowImage {
        guard let place else {
            return [
                "space": .null, "osis": .null, "wordStart": .null, "wordEnd": .null, "book": .null,
                "firstChapter": .null, "lastChapter": .null,
            ]
        }
        guard place.isValid else {
            throw PersonalDataError(.invalid, "The passage or the range of words is invalid. Select the text again.")
        }
        let places = place.reference.places
        return [
            "space": .text(place.space.text), "osis": .text(OSISText.text(of: place.reference)),
            "wordStart": value(place.words?.start), "wordEnd": value(place.words?.end),
            "book": .text(place.reference.book.rawValue),
            "firstChapter": .integer(Int64(places?.lowerBound.chapter ?? 0)),
            "lastChapter": .integer(Int64(places?.upperBound.chapter ?? Int(Int32.max))),
        ]
    }

    private static func value(_ text: String?) -> StoredValue { text.map(StoredValue.text) ?? .null }
    private static func value(_ number: Int?) -> StoredValue { number.map { .integer(Int64($0)) } ?? .null }

    private static let gone = PersonalDataError(.gone, "The mark was removed. Undo, or make a new one.")
    private static let exists = PersonalDataError(.conflict, "There is a mark or a folder with this id already.")
}
