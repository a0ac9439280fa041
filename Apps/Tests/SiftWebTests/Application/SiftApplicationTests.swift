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

@Suite(.timeLimit(.minutes(2))) struct SiftApplicationTests {
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
        let error = await #expect(throws: SiftStartError.self) {
            _ = try await SiftApplication.open(locations, imaging: NoImaging(), logger: logger)
        }
        #expect(error?.code == .busy)
        withExtendedLifetime(first) {}
    }
}
