import AppCommand
import Foundation
import Logging
import SiftCore
import SiftWeb
import Testing

/// A decoder that decodes nothing.
struct NoImaging: PhotoImaging {
    func header(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoHeader {
        throw PhotoProcessingError(.processingFailed)
    }

    func rendition(of photo: OpenPhoto, _ size: RenditionSize) async throws(PhotoProcessingError) -> Rendition {
        throw PhotoProcessingError(.processingFailed)
    }

    func features(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoFeatures {
        throw PhotoProcessingError(.processingFailed)
    }
}

struct SiftApplicationTests {
    @Test("A second Sift on the same data is refused while the first is open")
    func refusesSecond() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "sift-\(UUID().uuidString)")
        defer { removeFolder(root) }
        let photos = root.appending(path: "photos")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        let locations = SiftApplication.Locations(
            data: root.appending(path: "data"), photos: photos.path, trash: root.appending(path: "Trash").path)
        let logger = Logger(label: "test")
        let first = try await SiftApplication.open(locations, imaging: NoImaging(), logger: logger)
        let error = await #expect(throws: AppStartError.self) {
            _ = try await SiftApplication.open(locations, imaging: NoImaging(), logger: logger)
        }
        #expect(error?.code == .busy)
        withExtendedLifetime(first) {}
    }

    /// A folder of photos with a folder inside, and a link to that one from outside.
    private func withFolders(_ body: (URL) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "sift-\(UUID().uuidString)")
        defer { removeFolder(root) }
        try FileManager.default.createDirectory(
            at: root.appending(path: "photos/inner"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: root.appending(path: "link"), withDestinationURL: root.appending(path: "photos/inner"))
        try await body(root)
    }

    private func open(_ root: URL, trash: String, photos: String = "photos") async throws -> SiftApplication {
        try await SiftApplication.open(
            SiftApplication.Locations(
                data: root.appending(path: "data"), photos: root.appending(path: photos).path,
                trash: root.appending(path: trash).path),
            imaging: NoImaging(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test(
        "A trash whose files a scan would find is refused, and nothing is created",
        arguments: ["photos", "photos/Trash", "photos/inner/new/Trash", "link/Trash"])
    func refusesTrashInside(_ trash: String) async throws {
        try await withFolders { root in
            let error = await #expect(throws: AppStartError.self) { _ = try await open(root, trash: trash) }
            #expect(error?.code == .trashInFolder)
            #expect(error?.message.contains("--trash") == true)
            #expect(!FileManager.default.fileExists(atPath: root.appending(path: "data").path))
            #expect(!FileManager.default.fileExists(atPath: root.appending(path: "photos/Trash").path))
        }
    }

    @Test("A folder that is the inside of the trash is refused") func refusesFolderInsideTrash() async throws {
        try await withFolders { root in
            try FileManager.default.createDirectory(
                at: root.appending(path: "Trash/files"), withIntermediateDirectories: true)
            let error = await #expect(throws: AppStartError.self) {
                _ = try await open(root, trash: "Trash", photos: "Trash/files")
            }
            #expect(error?.code == .trashInFolder)
        }
    }

    @Test(
        "A trash beside the photos, or in a hidden folder among them, is used",
        arguments: ["Trash", "photos2/Trash", "photos/.local/share/Trash"])
    func usesTrashOutside(_ trash: String) async throws {
        try await withFolders { root in _ = try await open(root, trash: trash) }
    }
}
