import Foundation
import HTTPTypes
import HablarePersistence
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    func addData(to commands: inout Commands) {
        let (desk, personal, library) = (desk, personal, library)
        commands.on("settings", LecternCommand.Settings.self, pageAfterForm: "/settings") { command, _ in
            guard let size = Double(command.size), let spacing = Double(command.spacing) else {
                throw PersonalDataError(.invalid, "The size and the spacing are numbers. Enter them again.")
            }
            try desk.change { settings in
                settings.theme = ReaderSettings.Theme(rawValue: command.theme)
                settings.fontSize = size
                settings.lineSpacing = spacing / 10
                settings.showsVerseNumbers = command.numbers != nil
                settings.showsRedLetters = command.red != nil
                settings.usesParagraphs = command.paragraphs != nil
            }
        }
        commands.on("read", LecternCommand.Read.self) { command, _ in
            // The front page shows it at once. Chapters do not, so they stay in the cache.
            try await personal.record(
                ReadingPosition(
                    device: command.device, text: command.text, kind: command.kind ?? .reading,
                    chapter: ChapterID(BookID(rawValue: command.book), command.chapter), verse: command.verse,
                    madeAt: Moment(rawValue: command.madeAt)))
        }
        commands.on("clearHistory", LecternCommand.Nothing.self, pageAfterForm: "/history") { _, _ in
            try await database.write { try ReadingLog().clear(in: $0) }
            desk.changedData()
        }
        commands.on("removeText", LecternCommand.Named.self, pageAfterForm: "/texts") { command, _ in
            try await library.remove(command.name)
            desk.changedData()
        }
        commands.on("importData", LecternCommand.Import.self) { command, _ in
            try await withTemporaryFile("import.json") { url in
                try Data(command.document.utf8).write(to: url)
                _ = try await personal.importDocument(from: url)
            }
            desk.changedData()
        }
        commands.on("eraseAll", LecternCommand.Erase.self, pageAfterForm: "/data") { command, _ in
            guard command.confirm.trimmingCharacters(in: .whitespaces).lowercased() == "delete" else {
                throw PersonalDataError(.invalid, "Type the word delete to confirm that everything of yours is erased.")
            }
            try await personal.eraseAll()
            // Each browser erases what it keeps when it sees another number. If it saw that earlier, it would fetch the old
            // pages again.
            try desk.change { $0.erasures = $0.erasures &+ 1 }
        }
    }

    /// Sends the person's data as JSON.
    func exportedData() async throws -> Response {
        let data = try await withTemporaryFile("export.json") { url in
            try await personal.exportDocument(to: url)
            return try Data(contentsOf: url)
        }
        return Self.download(data, "lectern.json", "application/json")
    }

    /// Sends the person's notes as Markdown or as JSON.
    func exportedNotes(asJSON: Bool) async throws -> Response {
        let document = NoteDocument(names: Self.bookNames)
        if asJSON {
            return Self.download(
                try await database.read { try document.json(in: $0) }, "notes.json", "application/json")
        }
        let notes = try await database.read { try document.markdown(in: $0) }
        return Self.download(Data(notes.utf8), "notes.md", "text/markdown; charset=utf-8")
    }

    /// The English names of the books.
    static let bookNames = Dictionary(
        BookCatalogue.standard.entries.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })

    static func download(_ data: Data, _ name: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type, .contentDisposition: "attachment; filename=\"\(name)\"", .cacheControl: "no-store",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }

    private func withTemporaryFile<R>(_ name: String, _ body: (URL) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lectern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        func remove() {
            do { try FileManager.default.removeItem(at: folder) } catch { return }
        }
        do {
            let result = try await body(folder.appending(path: name))
            remove()
            return result
        } catch {
            remove()
            throw error
        }
    }
}
