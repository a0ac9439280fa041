import AppCommand
import Foundation
import HablareData
import HablarePersistence
import SiftCore
import Testing

@testable import SiftWeb

@Suite("The reasons why Sift cannot start")
struct SiftStartErrorTests {
    /// A failure, the code that it becomes, and words that its message must have.
    struct Row: Sendable, CustomTestStringConvertible {
        let error: any Error
        let code: AppStartError.Code
        let words: [String]
        var testDescription: String { "\(error)" }

        init(_ error: any Error, _ code: AppStartError.Code, _ words: String...) {
            (self.error, self.code, self.words) = (error, code, words)
        }
    }

    private static let full = "Free some space"

    @Test(
        "A failure of the data directory names it and says what to do",
        arguments: [
            Row(InstanceLock.Failure.busy, .busy, "Another Sift uses the data in '/d'", "--data-dir"),
            Row(PhotoProcessingError(.diskFull), .dataFailed, "'/d' is full", full),
            Row(PhotoProcessingError(.permissionMissing, cause: "EACCES"), .dataFailed, "'/d'", "EACCES", "--data-dir"),
            Row(ActionQueueError(.diskFull, ""), .dataFailed, "'/d' is full", full),
            Row(ActionQueueError(.databaseFailed, "It is odd."), .dataFailed, "decisions in '/d'", "It is odd."),
            Row(AppDatabaseError(.full, ""), .dataFailed, "'/d' is full", full),
            Row(AppDatabaseError(.busy, ""), .busy, "Another program holds the database in '/d'"),
            Row(AppDatabaseError(.tooNew, ""), .dataUnusable, "A newer Sift", "Update Sift"),
            Row(AppDatabaseError(.corrupt, "Restore it."), .dataUnusable, "Restore it."),
            Row(AppDatabaseError(.notADatabase, "Move it."), .dataUnusable, "Move it."),
            Row(AppDatabaseError(.migrationFailed, "Report it."), .dataUnusable, "Report it."),
            Row(AppDatabaseError(.folderUnwritable, "Change it."), .cannotCreateData, "Change it."),
            Row(AppDatabaseError(.failed, "Look at it."), .dataFailed, "Look at it."),
            Row(AppStartError(.foldersOverlap, "Twice."), .foldersOverlap, "Twice."),
            Row(CocoaError(.fileReadUnknown), .dataFailed, "'/d' cannot be used"),
        ])
    func describesData(row: Row) {
        let error = AppStartError(row.error, data: "/d")
        #expect(error.code == row.code)
        for word in row.words { #expect(error.message.contains(word), "\(error.message)") }
    }

    @Test(
        "A folder that cannot be opened is named with the reason",
        arguments: [
            (PhotoProcessingError.Code.photoGone, "There is no folder '/no folder here'"),
            (.permissionMissing, "You may not read the folder '/no folder here'"),
            (.needsNetwork, "The volume of the folder '/no folder here' does not answer"),
            (.notAnswering, "The volume of the folder '/no folder here' does not answer"),
        ])
    func describesFolders(code: PhotoProcessingError.Code, words: String) {
        let error = AppStartError(PhotoProcessingError(code), folder: "/no folder here")
        #expect(error.code == .folderMissing)
        #expect(error.message.hasPrefix(words), "\(error.message)")
    }

    @Test("A file in the place of a folder is told apart from nothing there") func tellsFiles() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "sift-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { removeFolder(file) }
        #expect(AppStartError(PhotoProcessingError(.photoGone), folder: file.path).message.contains("is a file"))
        let error = AppStartError(creating: file.path, CocoaError(.fileWriteFileExists), of: "Sift")
        #expect(error.code == .dataUnusable && error.message.contains("is a file"))
    }

    @Test("A data directory that cannot be created is told apart from a full volume") func tellsFullVolumes() {
        let full = AppStartError(creating: "/no data here", CocoaError(.fileWriteOutOfSpace), of: "Sift")
        #expect(full.code == .dataFailed && full.message.contains("Free some space"))
        let refused = AppStartError(creating: "/no data here", CocoaError(.fileWriteNoPermission), of: "Sift")
        #expect(refused.code == .cannotCreateData && refused.message.contains("--data-dir"))
    }
}
