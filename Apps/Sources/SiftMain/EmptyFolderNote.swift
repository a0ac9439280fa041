import HablarePersistence
import ServiceLifecycle
import SiftCore
import SiftWeb

/// Says on standard error that a folder has no photo, after its first scan. The page says so, too, but it cannot tell
/// how Sift is started.
struct EmptyFolderNote: Service {
    private let database: AppDatabase
    private let library: Library
    private let advice: String
    private let activities: AsyncStream<LibraryService.Activity>

    /// Creates a note about a library of an application.
    ///
    /// - Parameter isNamed: Whether the person named the folder.
    @MainActor
    init(_ open: SiftApplication.OpenLibrary, in application: SiftApplication, isNamed: Bool) {
        database = application.database
        library = open.library
        advice =
            isNamed
            ? "Photos that you add appear in the page by themselves."
            : "Name another folder: sift serve FOLDER. \(Self.sample)"
        activities = open.service.activities
    }

    /// The way to photos for a person who has none at hand.
    static let sample = "For a sample library, run `make sift` in the repository of Hablare."

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await activity in activities where activity == .watching {
                await look()
                break
            }
        }
        // A service that returns early ends the program.
        try await gracefulShutdown()
    }

    private func look() async {
        let id = library.id
        do {
            guard try await database.read({ try PhotoStore().counts(of: id, in: $0) }).total == 0 else { return }
            SiftCommand.note("There is no photo in '\(library.displayPath)' that Sift can show. \(advice)")
        } catch {
            // The note is only advice. The next decision reports a failing database.
            return
        }
    }
}
