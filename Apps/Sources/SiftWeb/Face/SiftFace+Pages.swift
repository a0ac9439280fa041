import Foundation
import HTTPTypes
import HablareWeb
import Hummingbird
import SiftCore

extension SiftFace {
    nonisolated func addPages(to router: Router<FaceContext>) {
        router.get("/") { _, _ in try await self.front() }
        router.get("/welcome") { _, _ in try await self.page("welcome") { _ in } }
        router.get("/review") { _, _ in try await self.page("review") { $0.pages.review = true } }
        router.get("/settings") { _, _ in try await self.page("settings") { $0.pages.settings = true } }
        router.get("/history") { request, _ in try await self.historyPage(request.uri.queryParameters) }
        router.get("/photo/:id") { _, context in try await self.photoPage(context.parameters.get("id") ?? "") }
        router.get("/compare") { request, _ in
            try await self.comparePage(request.uri.queryParameters["photos"].map(String.init) ?? "")
        }
    }

    /// The first page explains the directions until the person has seen it. Afterwards it is the deck.
    private func front() throws -> Response {
        guard settings.settings.isWelcomed else { return try page("welcome") { _ in } }
        return try page("deck") { $0.pages.deck = true }
    }

    private func page(_ name: String, _ edit: @Sendable (inout PageModel) -> Void) throws -> Response {
        var model = PageModel(
            deck: desk.deckState(settings.settings), session: desk.sessionState(), queue: desk.queueState(),
            library: desk.libraryState(),
            settings: SettingsState(settings.settings, writesSidecars: desk.writesSidecars), review: desk.reviewState())
        edit(&model)
        return try pages.page(name, model)
    }

    private func photoPage(_ text: String) async throws -> Response {
        let photo = try await photo(text)
        return try page("photo") { $0.photo = PhotoState(photo) }
    }

    private func comparePage(_ text: String) async throws -> Response {
        var photos: [Photo] = []
        for part in text.split(separator: ",").prefix(5) { photos.append(try await photo(String(part))) }
        guard let compare = ComparePage(photos) else {
            throw FaceProblem(
                .notFound, code: "cannotCompare", title: "These photos cannot be compared",
                detail: "Choose two to four different photos.")
        }
        return try page("compare") { $0.compare = compare }
    }

    private func historyPage(_ parameters: Parameters) async throws -> Response {
        let choice = parameters["show"].flatMap { Choice(rawValue: String($0)) }
        let decisions = try await desk.history(
            choice.map { PhotoAction.Kind(rawValue: $0.rawValue) },
            before: parameters["before"].flatMap { Int64($0) } ?? .max, limit: HistoryPage.limit)
        let history = HistoryPage(decisions, choice: choice, now: now(), zone: zone)
        return try page("history") {
            $0.pages.history = true
            $0.history = history
        }
    }

    private func photo(_ text: String) async throws -> Photo {
        guard let id = PhotoID(text), let photo = try await desk.photo(id) else {
            throw FaceProblem(
                .notFound, code: PhotoProcessingError.Code.photoGone.rawValue, title: "There is no such photo",
                detail: "It may have been removed from the library.")
        }
        return photo
    }
}
