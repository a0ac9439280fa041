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
        router.get("/library") { request, _ in
            try await self.libraryPage(request.uri.query ?? "", request.uri.queryParameters)
        }
        router.get("/alike") { request, _ in
            try await self.alikePage(request.uri.queryParameters["after"].flatMap { Int($0) } ?? 0)
        }
        router.get("/libraries") { _, _ in try await self.librariesPage() }
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

    /// Lists the photos that a filter lets pass.
    private func libraryPage(_ query: String, _ parameters: Parameters) async throws -> Response {
        let filter = LibraryFilter(query: query)
        let stored = try await self.filter(of: filter)
        var place: PhotoStore.Position?
        if let after = parameters["after"] { place = PhotoStore.Position(of: try await photo(String(after))) }
        let photos = try await desk.photos(stored, after: place, limit: LibraryPage.limit)
        let list = LibraryPage(
            filter, photos: photos, count: try await desk.count(stored),
            undecided: try await desk.count(.every([.undecided, stored])), cameras: try await desk.cameras())
        return try page("library") {
            $0.pages.library = true
            $0.list = list
        }
    }

    /// Returns the filter of the store. Bursts are computed on each call, because they are not stored.
    func filter(of filter: LibraryFilter) async throws -> PhotoStore.Filter {
        guard filter.burst else { return filter.stored(inBursts: []) }
        return filter.stored(inBursts: try await desk.suggestions().filter { $0.reason == .burst }.flatMap(\.photos))
    }

    /// Returns the selection of a filter, or `nil` if the filter lets all photos pass.
    func selection(of filter: LibraryFilter) async throws -> Selection? {
        guard filter != LibraryFilter() else { return nil }
        return Selection(filter: try await self.filter(of: filter), text: filter.text, query: filter.query)
    }

    /// Lists photos that are alike, beginning after a number of groups.
    private func alikePage(_ start: Int) async throws -> Response {
        let groups = AlikePage.open(try await desk.suggestions(), undecided: try await desk.undecided())
        let start = min(max(0, start), groups.count)
        let wanted = AlikePage.wanted(groups, from: start)
        let photos = try await desk.photos(.among(wanted), after: nil, limit: .max)
        let alike = AlikePage(groups, photos: photos, from: start)
        return try page("alike") {
            $0.pages.alike = true
            $0.alike = alike
        }
    }

    private func librariesPage() throws -> Response {
        let open = desk.openLibrary
        let libraries = desk.libraries.enumerated().map { LibraryChoice($1, place: $0, isOpen: $0 == open) }
        return try page("libraries") { $0.libraries = libraries }
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
