import Foundation
import Hablare
import HablareData
import HablarePersistence
import Logging
import ServiceLifecycle
import SiftCore

// The code of the article "Building an app on Hablare". ArticleTests holds the two equal, and runs this code.

// snippet: store
/// Opens the database and adds a folder of photos to it.
func openLibrary(_ path: String, in file: URL) async throws -> (AppDatabase, Library, Session) {
    let database = try await AppDatabase.open(at: file, migrator: SiftSchema.migrator)
    let folder = try LibraryFolder.open(path)
    let now = Date()
    let (library, session) = try await database.write { db in
        let library = try PhotoStore().addLibrary(folder, at: now, in: db)
        return (library, try DecisionStore().beginSession(of: library.id, at: now, in: db))
    }
    try await LibraryScanner(database: database).scan(library)
    return (database, library, session)
}
// end snippet

// snippet: root
/// One sitting over one library. The only type of this app that names all others.
@MainActor
struct Sitting {
    let model: PhotoSwipeViewModel
    let services: [any Service]

    init(_ folder: String, data: URL, trash: URL, imaging: any PhotoImaging, seams: EngineSeams) async throws {
        let (database, library, session) = try await openLibrary(folder, in: data.appending(path: "sift.sqlite"))
        let processor = try await PhotoBatchProcessor(
            database: database,
            trash: Trash(journal: StoredTrashJournal(database), home: Array(trash.path.utf8)), seams: seams)
        let opening = StoredPhotoOpening(database)
        let loader = try PhotoLoader(imaging: imaging, opening: opening, seams: seams)
        model = PhotoSwipeViewModel(
            library: library.id, session: session.id, database: database, processor: processor, loader: loader,
            seams: seams)
        services = [processor, ViewService(model: model)]
    }
}
// end snippet

// snippet: service
/// Runs a model as long as its view is shown.
struct ViewService: Service {
    let model: PhotoSwipeViewModel

    func run() async { await cancelWhenGracefulShutdown { await model.run() } }
}
// end snippet

// snippet: view
/// A view in a terminal.
@MainActor
func line(_ model: PhotoSwipeViewModel) -> String {
    guard let photo = model.currentPhoto else { return "All photos are decided." }
    let picture = model.isLoading ? "loading" : model.pictureError?.message ?? "shown"
    let problem = model.error.map { " \($0.message) \($0.advice)" } ?? ""
    return "\(photo.principal.path) (\(picture)), \(model.progress.remaining) left.\(problem)"
}
// end snippet

// snippet: command
/// Carries out a key. The same key event twice is one act, because it has one id.
@MainActor
func press(_ key: Character, id: UUID, in model: PhotoSwipeViewModel) async {
    switch key {
    case "x": await model.decide(.trash, id)
    case "p": await model.decide(.favourite, id)
    case "k": await model.decide(.keep, id)
    case "z": await model.undo(id)
    case "y": await model.redo(id)
    default: break
    }
}
// end snippet
