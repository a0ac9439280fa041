public import Foundation
import HTTPTypes
public import HablareWeb
import Hummingbird
import SiftCore

/// Sift's web face: pages, states, commands and pictures over a ``SiftDesk``.
@MainActor
public struct SiftFace {
    let desk: any SiftDesk
    let settings: SettingsModel
    let pages: Pages
    let now: @Sendable () -> Date
    let zone: TimeZone

    /// Returns the face.
    ///
    /// - Parameters:
    ///   - desk: The view models behind the pages.
    ///   - others: The desks of other libraries, which can be opened in the same pages. Default: none.
    ///   - settingsFile: The file with the person's settings. It is created when they are changed first.
    ///   - now: Returns the present moment. Default: the system's clock.
    ///   - zone: The person's time zone. Default: the system's.
    /// - Throws: An error if the settings cannot be read, or if a template has a fault.
    public static func make(
        _ desk: any SiftDesk, with others: [any SiftDesk] = [], settingsFile: URL,
        now: @escaping @Sendable () -> Date = { Date() }, zone: TimeZone = .current
    ) throws -> Face {
        let file = SettingsFile(url: settingsFile)
        let desk: any SiftDesk = others.isEmpty ? desk : DeskSwitch(desk, others)
        return try make(desk, settings: SettingsModel(try file.read()) { try file.write($0) }, now: now, zone: zone)
    }

    static func make(
        _ desk: any SiftDesk, settings: SettingsModel, now: @escaping @Sendable () -> Date, zone: TimeZone
    ) throws -> Face {
        let assets = try Assets(EmbeddedFiles.all)
        let pages = try Pages(assets)
        let sift = SiftFace(desk: desk, settings: settings, pages: pages, now: now, zone: zone)
        var face = Face(name: "sift", pages: pages, assets: assets)
        sift.addStates(to: &face)
        sift.addCommands(to: &face)
        face.media = Media { request in
            guard let id = PhotoID(request.id), let version = PhotoAddress.version(request.version),
                let size = request.variant.flatMap({ RenditionSize($0) }), PhotoAddress.isOffered(size),
                let picture = try await desk.picture(id, version, size)
            else { return nil }
            return .bytes(Array(picture.bytes), type: picture.mediaType)
        }
        face.routes = { sift.addPages(to: $0) }
        face.problem = { Self.problem($0) }
        return face
    }

    private func addStates(to face: inout Face) {
        let (desk, settings) = (desk, settings)
        face.states.feed("deck") { desk.deckState(settings.settings) }
        face.states.feed("session") { desk.sessionState() }
        face.states.feed("queue") { desk.queueState() }
        face.states.feed("library") { desk.libraryState() }
        face.states.feed("review") { desk.reviewState() }
        face.states.feed("settings") { SettingsState(settings.settings, writesSidecars: desk.writesSidecars) }
    }

    nonisolated static func problem(_ error: any Error) -> FaceProblem? {
        guard let error = error as? PhotoProcessingError else { return nil }
        return FaceProblem(.conflict, code: error.code.rawValue, title: error.message, detail: error.advice)
    }
}
