public import Hummingbird

/// An app's web face: what it shows and what it does. ``FaceServer`` serves it.
public struct Face: Sendable {
    /// The app's name in lower case, such as `sift`. Messages and the cookie contain it.
    public let name: String
    /// The templates of the app's pages.
    public let pages: Pages
    /// Scripts, style sheets and images that belong to the app.
    public let assets: Assets
    /// The states that pages follow: `GET /events` and `GET /state`.
    public var states = StateStream()
    /// The commands that pages send: `POST /commands/NAME`.
    public var commands = Commands()
    /// The source of the user's photos and audio: `GET /media/ID/VERSION/VARIANT`. Default: none.
    public var media: Media?
    /// Adds the app's pages to the router. The server guards them like its own routes. Default: none.
    public var routes: @Sendable (Router<FaceContext>) -> Void = { _ in }
    /// Describes an app's own error for a page. Return `nil` for errors that ``FaceProblem/init(_:)`` describes well.
    public var problem: @Sendable (any Error) -> FaceProblem? = { _ in nil }

    /// Creates a face without states, commands, media and pages of its own.
    public init(name: String, pages: Pages, assets: Assets) {
        self.name = name
        self.pages = pages
        self.assets = assets
    }
}
