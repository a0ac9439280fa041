import Foundation
import HTTPTypes
import HablarePersistence
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    /// Adds the worker of the browser, and what the browser keeps.
    func addKeeping(to router: Router<FaceContext>) {
        router.get("/sw.js") { _, _ in worker.response }
        router.get("/offline") { _, _ in try pages.page("offline", await model { _ in }) }
        router.get("/offline/chapter") { _, _ in try pages.page("offline-chapter", await model { _ in }) }
        router.get("/device") { _, _ in try await devicePage() }
        router.get("/keep") { _, _ in try await overview() }
        router.get("/keep/:text") { _, context in try await keptText(try context.parameters.require("text")) }
        router.get("/keep/:text/words") { _, context in try await words(try context.parameters.require("text")) }
        router.get("/keep/:text/spoken/:book/:chapter") { _, context in
            try Self.json(try await spoken(try context.parameters.place()).audio)
        }
        router.get("/keep/:text/audio/:book/:chapter") { request, context in
            let (audio, speech) = try await spoken(try context.parameters.place())
            if let voice = request.uri.queryParameters["voice"], voice != audio.voice[...] {
                throw FaceProblem(
                    .conflict, code: "otherVoice", title: "Another voice was chosen",
                    detail: "Ask for the times of this chapter again. They are those of the voice.")
            }
            return Response(
                status: .ok, headers: [.contentType: "audio/ogg", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: speech.oggFile())))
        }
    }

    private static func json(_ value: some Encodable) throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(value))))
    }

    private func devicePage() async throws -> Response {
        let texts = try await libraryTexts()
        return try pages.page(
            "device", await model { $0.library = LibraryPage(texts: texts, isEmpty: texts.isEmpty) })
    }

    private func overview() async throws -> Response {
        let texts = try await shelf.texts()
        var ahead = try await planModels().flatMap(\.today).filter { !$0.isDone }.flatMap(\.links).map(\.href)
        let marks = try await database.read {
            try MarkStore().page(of: MarkFilter(kinds: [.bookmark]), size: 20, in: $0).marks
        }
        for mark in marks {
            guard let place = mark.place, let first = place.reference.places?.lowerBound else { continue }
            let text =
                switch place.space {
                case .text(let id): texts.first { $0.id == id }
                case .versification(let name): texts.first { $0.description.versification == name }
                }
            guard let text else { continue }
            ahead.append(Addresses.path(of: ChapterID(place.reference.book, first.chapter), in: text.id))
        }
        return try Self.json(
            KeepingOverview(
                texts: texts.map { .init(id: $0.id, title: $0.description.title) },
                ahead: ahead.map { String($0.prefix { $0 != "#" && $0 != "?" }) }))
    }

    private func keptText(_ id: String) async throws -> Response {
        let text = try await shelf.text(id)
        let kept = try await database.read { db in
            let store = TextStore()
            return KeptText(
                text, books: try store.books(of: text, in: db), characters: try store.characters(of: text, in: db),
                stamps: try MarkStore().stamps(in: db), root: worker.root)
        }
        return try Self.json(kept)
    }

    /// Sends the words of a text: `{"books": [{"id": …, "name": …, "testament": …, "verses": […]}]}`.
    private func words(_ id: String) async throws -> Response {
        let text = try await shelf.text(id)
        let books = try await database.read { try TextStore().words(of: text, in: $0) }
        let encoder = JSONEncoder()
        var body = ByteBuffer()
        body.writeString("{\"books\":[")
        for (place, words) in books.enumerated() {
            let book = words.book
            let head = [
                "id": book.id.rawValue, "name": book.description.name,
                "testament": BookCatalogue.standard[book.id]?.testament?.rawValue ?? "",
            ]
            body.writeString(place == 0 ? "" : ",")
            body.writeBytes(try encoder.encode(head).dropLast())
            body.writeString(",\"verses\":\(words.json)}")
        }
        body.writeString("]}")
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body))
    }

    /// Returns the audio of a chapter by a voice of this machine. It is made if it is missing. Downloads never use a paid
    /// voice, because a book has many chapters.
    private func spoken(
        _ place: (text: String, chapter: ChapterID)
    ) async throws -> (audio: KeptAudio, speech: EncodedSpeech) {
        let text = try await shelf.text(place.text)
        let book = try await shelf.book(place.chapter.book.rawValue, of: text)
        let passage = try await BibleService(textID: text.id, database: database)
            .loadPassage(book: book.description.id, chapter: place.chapter.chapter)
        let chosen = await listening.voiceForDownloads(of: text)
        let spoken = try await ExportVoice(listening.narrator, voice: chosen).speech(
            of: passage.chapter, text: text.id)
        guard !spoken.timeline.entries.isEmpty else {
            throw FaceProblem(
                .unprocessableContent, code: "silent", title: "There is no audio",
                detail: spoken.problems.first?.message ?? "This chapter has nothing to read aloud.")
        }
        let verses = spoken.timeline.entries.map { KeptAudio.Verse(verse: $0.verse, start: $0.start, end: $0.end) }
        let audio = KeptAudio(
            milliseconds: spoken.timeline.milliseconds, voice: chosen.name, verses: verses,
            skipped: spoken.problems.count)
        return (audio, spoken.speech)
    }
}

extension ListeningDesk {
    /// Returns the voice for downloads: the chosen one if it costs nothing and reads this text, or the default one.
    fileprivate func voiceForDownloads(of text: StoredText) -> NarrationVoice {
        if let model, self.text?.id == text.id, !model.voice.isPaid { return model.voice }
        return Self.voice(for: text.description.language)
    }
}

extension Parameters {
    /// Returns the chapter that an address names.
    fileprivate func place() throws -> (text: String, chapter: ChapterID) {
        guard let number = Int(try require("chapter")), number >= 0, number < 1_000_000 else {
            throw ReadingError(.malformed, "This address is not one of a chapter.")
        }
        return (try require("text"), ChapterID(BookID(rawValue: try require("book")), number))
    }
}
