import Foundation
import HablarePersistence
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    func search(_ query: Query) async throws -> Response {
        let texts = try await shelf.texts()
        guard let text = texts.first(where: { $0.id == query["in"] }) ?? texts.first else {
            return Self.redirect("/")
        }
        let shape = try await shelf.shape(of: text)
        let request = SearchPage.Request(
            typed: String((query["q"] ?? "").prefix(500)), text: text.id,
            match: query["match"] ?? "all", part: query["part"] ?? "",
            order: query["order"] ?? "text",
            page: max(0, (query["page"].flatMap { Int($0) } ?? 1) - 1),
            context: min(2, max(0, query["context"].flatMap { Int($0) } ?? 0)))
        var page = SearchPage(request, texts: texts, shape: shape)
        var slots: [String: Markup] = [:]
        if !request.typed.allSatisfy(\.isWhitespace) {
            let (results, notes) = try await database.read { db in
                (
                    try TextSearch().search(request.query, in: text, db: db),
                    try MarkStore().page(of: MarkFilter(kinds: [.note], text: request.typed), size: 5, in: db).marks
                )
            }
            page.show(results, of: request)
            page.notes = notes.map {
                PageModel.Link(
                    href: "/mark/\($0.id.uuidString.lowercased())", text: String($0.text.prefix(120)),
                    note: $0.place.map { ReferenceFormatter(shape).text($0.reference) } ?? "Note")
            }
            page.hasNotes = !page.notes.isEmpty
            slots["hits"] = SearchPage.markup(results, shape: shape)
        }
        let shown = page
        return try pages.page(
            "search",
            await model {
                $0.search = shown
                $0.text = text.id
            }, slots: slots)
    }

    /// Returns words that complete what was typed, as JSON.
    func suggest(_ query: Query) async throws -> Response {
        struct Answer: Encodable {
            let words: [String]
        }
        let typed = String((query["q"] ?? "").prefix(200))
        let text = try await shelf.text(query["in"] ?? "")
        let words = try await database.read { try TextSearch().suggestions(for: typed, in: text, limit: 8, db: $0) }
        let start = typed.lastIndex(where: \.isWhitespace).map { String(typed[...$0]) } ?? ""
        let answer = try JSONEncoder().encode(Answer(words: words.map { start + $0.word }))
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
    }
}
