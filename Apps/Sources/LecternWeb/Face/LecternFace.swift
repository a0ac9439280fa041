import Foundation
import HTTPTypes
import HablarePersistence
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

/// Lectern's web face: pages and commands over the texts and the person's data.
public struct LecternFace: Sendable {
    let shelf: TextShelf
    let library: TextLibrary
    let personal: PersonalData
    let desk: ReaderDesk
    let listening: ListeningDesk
    let handoutDesk: HandoutDesk
    let cache: PageCache
    let pages: Pages
    let worker: KeepingWorker
    let now: @Sendable () -> Date
    let zone: TimeZone

    var database: AppDatabase { shelf.database }

    /// Returns the options of the server: a note of 1 MiB must fit into a command.
    static func options(_ options: FaceOptions) -> FaceOptions {
        var options = options
        options.limits.bodyBytes = max(options.limits.bodyBytes, 8 << 20)
        return options
    }

    /// Returns the face.
    ///
    /// - Parameters:
    ///   - database: Lectern's database.
    ///   - library: Imports and deletes texts.
    ///   - personal: The person's data.
    ///   - listening: The player.
    ///   - handouts: The files to hand out.
    ///   - settings: The settings as they were read.
    ///   - now: Returns the present moment. Default: the system's clock.
    ///   - zone: The person's time zone. Default: the system's.
    ///   - write: Writes changed settings.
    /// - Throws: An error if a template has a fault.
    @MainActor
    static func make(
        database: AppDatabase, library: TextLibrary, personal: PersonalData, listening: ListeningDesk,
        handouts: HandoutDesk, settings: ReaderSettings, now: @escaping @Sendable () -> Date = { Date() },
        zone: TimeZone = .current,
        write: @escaping @Sendable (ReaderSettings) throws -> Void
    ) throws -> Face {
        let assets = try Assets(EmbeddedFiles.all)
        let pages = try Pages(assets)
        let desk = ReaderDesk(settings, personal: personal, write: write)
        let lectern = LecternFace(
            shelf: TextShelf(database), library: library, personal: personal, desk: desk, listening: listening,
            handoutDesk: handouts, cache: desk.cache, pages: pages,
            worker: try KeepingWorker(assets, files: EmbeddedFiles.all), now: now, zone: zone)
        var face = Face(name: "lectern", pages: pages, assets: assets)
        face.states.feed("reader") { desk.state }
        face.states.feed("listening") { listening.state }
        face.states.feed("handouts") { handouts.state }
        face.media = media(listening.audio)
        lectern.addMarks(to: &face.commands)
        lectern.addPlans(to: &face.commands)
        lectern.addData(to: &face.commands)
        lectern.addListening(to: &face.commands)
        lectern.addHandouts(to: &face.commands)
        face.routes = { router in
            lectern.addKeeping(to: router)
            lectern.addPages(to: router)
            lectern.addHandouts(to: router)
        }
        face.problem = { Self.problem($0) }
        return face
    }

    /// The day in the person's calendar, and its distance from UTC in seconds.
    var today: (day: CalendarDay, offset: Int) {
        let date = now()
        let offset = zone.secondsFromGMT(for: date)
        return (CalendarDay(Moment(date), offset: offset), offset)
    }

    func model(_ edit: (inout PageModel) -> Void) async -> PageModel {
        var model = PageModel(settings: SettingsView(await desk.settings))
        edit(&model)
        return model
    }

    static func problem(_ error: any Error) -> FaceProblem? {
        switch error {
        case let error as ReadingError:
            switch error.code {
            case .damaged:
                FaceProblem(
                    .internalServerError, code: error.code.rawValue, title: "The text is damaged", detail: error.message
                )
            default:
                FaceProblem(.notFound, code: error.code.rawValue, title: "That is not here", detail: error.message)
            }
        case let error as PersonalDataError:
            FaceProblem(
                status(of: error.code), code: error.code.rawValue, title: title(of: error.code), detail: error.message)
        case let error as ExportError:
            FaceProblem(
                error.code == .missing ? .notFound : .unprocessableContent, code: error.code.rawValue,
                title: "The file cannot be made", detail: error.message)
        case let error as TextImportError:
            FaceProblem(
                .unprocessableContent, code: error.code.rawValue, title: "The text cannot be imported",
                detail: error.description)
        default: nil
        }
    }

    private static func status(of code: PersonalDataError.Code) -> HTTPResponse.Status {
        switch code {
        case .gone: .notFound
        case .invalid, .damaged, .newerVersion: .unprocessableContent
        case .tooLarge: .contentTooLarge
        case .conflict, .nothingToUndo, .nothingToRedo, .takenOver: .conflict
        case .diskFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        default: .internalServerError
        }
    }

    private static func title(of code: PersonalDataError.Code) -> String {
        switch code {
        case .diskFull: "The disk is full"
        case .tooLarge: "That is too long"
        case .nothingToUndo: "Nothing to undo"
        case .nothingToRedo: "Nothing to redo"
        case .gone: "That was removed"
        default: "That was not saved"
        }
    }
}
