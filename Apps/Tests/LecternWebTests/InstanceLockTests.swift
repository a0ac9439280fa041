import AppCommand
import Foundation
import Testing

@Suite struct InstanceLockTests {
    @Test("A second lock of the same app is refused until the first is gone; another app has its own")
    func refusesSecond() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)")
        try DataDirectory.create(folder)
        var lock: InstanceLock? = try InstanceLock(folder, app: "lectern")
        #expect(throws: InstanceLock.Failure.busy) { try InstanceLock(folder, app: "lectern") }
        _ = try InstanceLock(folder, app: "sift")
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try InstanceLock(folder, app: "lectern")
    }

    @Test("A directory that is missing is no lock of somebody else")
    func refusesMissingFolder() {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)")
        #expect(throws: InstanceLock.Failure.unusable(ENOENT)) { try InstanceLock(folder, app: "lectern") }
    }

    @Test("The usual directory obeys XDG_DATA_HOME, unless it is relative")
    func findsData() {
        #expect(DataDirectory.usual("lectern", environment: ["XDG_DATA_HOME": "/x"]).path == "/x/lectern")
        #expect(
            DataDirectory.usual("lectern", environment: ["XDG_DATA_HOME": "x", "HOME": "/h"]).path
                == "/h/.local/share/lectern")
    }
}
