import AppCommand
import Foundation
import LecternCore
import LecternTexts
import LecternWeb
import Logging
import Testing

@Suite struct LecternApplicationTests {
    @Test("A second Lectern on the same data is refused while the first is open")
    func refusesSecond() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lectern-\(UUID().uuidString)")
        let logger = Logger(label: "test")
        let first = try await LecternApplication.open(folder, logger: logger)
        let error = await #expect(throws: AppStartError.self) {
            _ = try await LecternApplication.open(folder, logger: logger)
        }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("--data-dir") == true)
        withExtendedLifetime(first) {}
    }

    @Test("Damaged settings are refused with the file's name, and stay")
    func refusesDamagedSettings() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lectern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "settings.json")
        try Data("{".utf8).write(to: file)
        let error = await #expect(throws: AppStartError.self) {
            _ = try await LecternApplication.open(folder, logger: Logger(label: "test"))
        }
        #expect(error?.code == .dataUnusable)
        #expect(error?.message.contains("settings.json") == true)
        #expect(try Data(contentsOf: file) == Data("{".utf8))
    }
}
