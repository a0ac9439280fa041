import Foundation
import Testing

@testable import SiftCore

/// Another program that saves a sidecar while Sift writes it loses nothing.
@Suite struct SidecarConflictTests {
    private static let theirs = "what the other program wrote"

    private func expectConflict(_ old: String?, _ save: @escaping (TestLibrary) throws -> Void) throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg")]
        if let old { try test.add("a.jpg.xmp", old) }
        let error = try #require(throws: PhotoProcessingError.self) {
            try SidecarWriter().set(.rating, to: "5", of: files, in: test.open(), for: UUID()) { _ in try save(test) }
        }
        #expect(error.isRetryable)
        #expect(try test.contents("a.jpg.xmp") == Self.theirs)
        #expect(test.names(test.photos) == ["a.jpg", "a.jpg.xmp"], "No temporary file is left.")
    }

    private var old: String { String(decoding: XMPSidecar().bytes, as: UTF8.self) }

    @Test func leavesASidecarThatWasReplaced() throws {
        try expectConflict(old) { test in
            try test.add("new", Self.theirs)
            let (from, to) = (test.photos.appending(path: "new"), test.photos.appending(path: "a.jpg.xmp"))
            #expect(rename(from.path, to.path) == 0)
        }
    }

    @Test func leavesASidecarThatWasWrittenInPlace() throws {
        try expectConflict(old) { try $0.add("a.jpg.xmp", Self.theirs) }
    }

    @Test func leavesASidecarThatWasCreated() throws {
        try expectConflict(nil) { try $0.add("a.jpg.xmp", Self.theirs) }
    }

    @Test func leavesTheSidecarIfTheOldValueCannotBeRecorded() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg")]
        try test.add("a.jpg.xmp", old)
        #expect(throws: Crash.self) {
            try SidecarWriter().set(.rating, to: "5", of: files, in: test.open(), for: UUID()) { _ in throw Crash() }
        }
        #expect(try test.contents("a.jpg.xmp") == old && test.names(test.photos) == ["a.jpg", "a.jpg.xmp"])
    }
}
