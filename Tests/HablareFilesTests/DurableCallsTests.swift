import Foundation
import HablareFiles
import HablareTestFiles
import Synchronization
import Testing

/// The order in which files and folders reach the disk, and the state after a failed step.
@Suite struct DurableCallsTests {
    private enum Step: Hashable, Sendable {
        case sync(String)
        case rename(String)
    }

    private final class Steps: Sendable {
        private let state = Mutex<(steps: [Step], failing: Step?, number: CInt)>(([], nil, 0))

        var taken: [Step] {
            state.withLock { state in
                defer { state.steps = [] }
                return state.steps
            }
        }

        func fail(at step: Step?, with number: CInt = EIO) {
            state.withLock { ($0.failing, $0.number) = (step, number) }
        }

        var calls: DurableCalls {
            DurableCalls(
                sync: { _, path throws(FileFailure) in try self.note(.sync(Self.name(path)), .sync, path) },
                rename: { path, newPath throws(FileFailure) in
                    try self.note(.rename(Self.name(newPath)), .rename, newPath)
                    try DurableCalls.system.rename(path, newPath)
                })
        }

        /// Replaces a temporary name, which differs each time.
        private static func name(_ path: String) -> String {
            path.hasSuffix(".tmp") ? "unfinished" : URL(fileURLWithPath: path).lastPathComponent
        }

        private func note(_ step: Step, _ action: FileFailure.Action, _ path: String) throws(FileFailure) {
            let number = state.withLock { state -> CInt? in
                state.steps.append(step)
                return state.failing == step ? state.number : nil
            }
            if let number { throw FileFailure(number, doing: action, to: path) }
        }
    }

    private let folder: TemporaryFolder
    private let steps = Steps()
    private var root: String { folder.url.path }

    init() throws { folder = try TemporaryFolder() }

    @Test("A file is synced before it gets its name, and the name before the commit returns")
    func replacing() throws {
        let file = try ReplacingFile(root + "/file", calls: steps.calls)
        try file.write("bytes".utf8)
        #expect(steps.taken == [])
        try file.commit()
        #expect(steps.taken == [.sync("unfinished"), .rename("file"), .sync(folder.url.lastPathComponent)])
    }

    @Test("After a failed step the former file is there and nothing half written", arguments: [true, false])
    func failing(inSync: Bool) throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: root + "/file"))
        steps.fail(at: inSync ? .sync("unfinished") : .rename("file"))
        do {
            let file = try ReplacingFile(root + "/file", calls: steps.calls)
            try file.write("new".utf8)
            #expect(throws: FileFailure(EIO, doing: inSync ? .sync : .rename, to: root + "/file")) {
                try file.commit()
            }
        }
        #expect(try FileSystem.read(root + "/file", atMost: 100) == Data("old".utf8))
        #expect(try FileSystem.contents(of: root).count == 1)
    }

    @Test("makeFolders syncs each new folder in the one above, and also an existing one")
    func folders() throws {
        let name = folder.url.lastPathComponent
        try steps.calls.makeFolders(root + "/a/b")
        #expect(steps.taken == [.sync(name), .sync("a")])
        try steps.calls.makeFolders(root + "/a/b")
        #expect(steps.taken == [.sync("a")])
        steps.fail(at: .sync("a"))
        #expect(throws: FileFailure(EIO, doing: .sync, to: root + "/a")) { try steps.calls.makeFolders(root + "/a/c") }
    }

    @Test("makeFolder creates one folder, and none above it")
    func oneFolder() throws {
        let missing = root + "/a/b"
        #expect(throws: FileFailure(ENOENT, doing: .makeFolder, to: missing)) { try steps.calls.makeFolder(missing) }
        #expect(try FileSystem.contents(of: root) == [])
        try steps.calls.makeFolder(root + "/a")
        #expect(steps.taken == [.sync(folder.url.lastPathComponent)])
        try steps.calls.makeFolder(missing)
        #expect(try FileSystem.status(of: missing)?.kind == .folder)
    }

    @Test("A file system that cannot sync folders is not an error", arguments: [EINVAL, ENOTSUP])
    func unsyncable(number: CInt) throws {
        steps.fail(at: .sync(folder.url.lastPathComponent), with: number)
        try steps.calls.syncFolder(root)
        #expect(steps.taken.count == 1)
    }

    @Test("A folder can be created in one that may be passed and not read")
    func unreadable() throws {
        let above = root + "/above"
        try DurableCalls.system.makeFolders(above)
        #expect(chmod(above, 0o300) == 0)
        defer { chmod(above, 0o700) }
        try steps.calls.makeFolders(above + "/folder")
        #expect(try FileSystem.status(of: above + "/folder")?.kind == .folder)
    }
}
