import Foundation
import HTTPTypes
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    /// Adds the pages and files of handouts.
    func addHandouts(to router: Router<FaceContext>) {
        router.get("/handouts") { request, _ in try await handouts(Query(request)) }
        router.get("/handouts/:id/file") { request, context in
            try await handoutFile(context.parameters.get("id") ?? "", isHead: request.method == .head, context)
        }
    }

    func addHandouts(to commands: inout Commands) {
        let desk = handoutDesk
        commands.on("handOut", LecternCommand.HandOut.self, pageAfterForm: "/handouts") { command, id in
            let text = try await shelf.text(command.text)
            let scope = try ExportScope(
                typed: command.part, text, shape: command.part.isEmpty ? TextShape() : try await shelf.shape(of: text))
            guard let form = Handout.Form(rawValue: command.form) else {
                throw PersonalDataError(.invalid, "There is no such kind of file. Choose one of the list.")
            }
            try await desk.add(TextExport(text, scope, database: database), as: form, id: id.uuid)
        }
        commands.on("removeHandout", LecternCommand.Named.self, pageAfterForm: "/handouts") { command, _ in
            guard let id = UUID(uuidString: command.name) else {
                throw PersonalDataError(.gone, "This file was removed already. Reload the page.")
            }
            desk.remove(id)
        }
    }

    private func handouts(_ query: Query) async throws -> Response {
        let texts = try await shelf.texts()
        let items = await handoutDesk.state
        var page = HandoutPage(state: items, texts: texts)
        if let text = texts.first(where: { $0.id == query["in"] }) ?? texts.first {
            let shape = try await shelf.shape(of: text)
            page.choose(text, at: query["at"].flatMap { OSISText.reference($0) }, shape)
        }
        let shown = page
        return try pages.page("handouts", await model { $0.handouts = shown })
    }

    private func handoutFile(_ name: String, isHead: Bool, _ context: FaceContext) async throws -> Response {
        guard let id = UUID(uuidString: name), let (url, item) = await handoutDesk.file(id) else {
            throw PersonalDataError(.gone, "This file is not here any more. Make it again.")
        }
        let type =
            switch item.form {
            case .talkingBook, .book: "application/epub+zip"
            case .audio: "application/zip"
            case .text: "text/plain; charset=utf-8"
            }
        return Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename*=UTF-8''\(Addresses.encoded(item.name))",
            ], body: try await FileIO().loadFile(path: url.path, context: context))
    }
}

extension ExportScope {
    /// Reads the part of a text that a form names: empty for the whole text, or a passage such as `John.3`.
    ///
    /// - Throws: `ExportError` with code `missing`.
    fileprivate init(typed: String, _ text: StoredText, shape: TextShape) throws {
        guard !typed.isEmpty else {
            self = .text
            return
        }
        guard let reference = OSISText.reference(typed) else {
            self = try ExportScope(typed: typed, in: shape)
            return
        }
        self.init(reference)
    }
}
