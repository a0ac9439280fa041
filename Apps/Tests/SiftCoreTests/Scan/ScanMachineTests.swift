import Testing

@testable import SiftCore

@Suite struct ScanMachineTests {
    private func version(_ inode: UInt64, size: Int64 = 100, modified: Int64 = 5) -> PhotoVersion {
        PhotoVersion(device: 1, inode: inode, size: size, modified: modified)
    }

    private func item(_ name: String, _ version: PhotoVersion) throws -> LibraryFolder.Item {
        LibraryFolder.Item(name: try #require(FileName(name)), version: version)
    }

    private func folder(_ text: String) throws -> RelativeFolder {
        try #require(RelativeFolder(bytes: Array(text.utf8)))
    }

    private func found(_ text: String, _ version: PhotoVersion) throws -> FoundShot {
        let path = try #require(RelativePath(text))
        return FoundShot(
            folder: path.folder, key: path.name.parts.stem,
            files: [PhotoFile(path: path, role: .jpeg, version: version)])
    }

    private func known(
        _ id: Int64, _ text: String, _ version: PhotoVersion, _ state: Photo.State = .present, digest: [UInt8]? = nil
    ) throws -> KnownShot {
        let found = try found(text, version)
        return KnownShot(
            id: PhotoID(rawValue: id), folder: found.folder, key: found.key, files: found.files, state: state,
            digest: digest)
    }

    @Test func addsANewShotAtOnce() throws {
        var machine = ScanMachine(known: [])
        #expect(try machine.listed(.root, [item("a.jpg", version(1))]) == [.insert(found("a.jpg", version(1)))])
        #expect(machine.ended().isEmpty)
    }

    @Test func changesNothingWhereNothingChanged() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(1))])
        #expect(try machine.listed(.root, [item("a.jpg", version(1))]).isEmpty)
        #expect(machine.ended().isEmpty)
    }

    @Test func addsAFileToItsShot() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(1))])
        let edits = try machine.listed(.root, [item("a.jpg", version(1)), item("a.cr2", version(2))])
        guard case .update(let id, let shot, false) = edits.first else {
            Issue.record("\(edits)")
            return
        }
        #expect(id.rawValue == 1 && shot.files.count == 2 && edits.count == 1)
    }

    @Test func keepsAShotThatLosesOrGainsItsJPEG() throws {
        let raw = try item("a.cr2", version(2))
        let jpeg = try item("a.jpg", version(1))
        var first = ScanMachine(known: [])
        guard case .insert(let both) = first.listed(.root, [jpeg, raw]).first else {
            Issue.record("The shot was not found.")
            return
        }
        let id = PhotoID(rawValue: 1)
        var known = KnownShot(id: id, folder: .root, key: both.key, files: both.files)
        for items in [[raw], [jpeg, raw]] {
            var machine = ScanMachine(known: [known])
            guard case .update(id, let found, true)? = machine.listed(.root, items).first else {
                Issue.record("Another shot was seen.")
                return
            }
            #expect(machine.ended().isEmpty && found.files.count == items.count)
            known.files = found.files
        }
    }

    @Test func recognisesARenamedFileInAnotherFolder() throws {
        var machine = ScanMachine(known: [try known(1, "a/x.jpg", version(7))])
        #expect(try machine.listed(folder("b"), [item("y.jpg", version(7))]).isEmpty)
        #expect(machine.listed(.root, []).isEmpty)
        #expect(try machine.ended() == [.move(PhotoID(rawValue: 1), found("b/y.jpg", version(7)))])
    }

    @Test func recognisesTwoFilesThatSwappedTheirNames() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(1)), try known(2, "b.jpg", version(2))])
        #expect(try machine.listed(.root, [item("a.jpg", version(2)), item("b.jpg", version(1))]).isEmpty)
        #expect(
            try Set(machine.ended()) == [
                .move(PhotoID(rawValue: 1), found("b.jpg", version(1))),
                .move(PhotoID(rawValue: 2), found("a.jpg", version(2))),
            ])
    }

    @Test func tellsAHardLinkFromARenamedFile() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(1))])
        #expect(try machine.listed(.root, [item("a.jpg", version(1)), item("b.jpg", version(1))]).isEmpty)
        #expect(try machine.ended() == [.insert(found("b.jpg", version(1)))])
    }

    @Test func seesAnotherFileOfTheSameNameAsAnotherPhoto() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(1))])
        #expect(try machine.listed(.root, [item("a.jpg", version(2))]).isEmpty)
        #expect(
            try machine.ended() == [.lose(PhotoID(rawValue: 1)), .insert(found("a.jpg", version(2)))])
    }

    @Test func seesAFileThatWasWrittenToAsAnotherVersion() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(1))])
        #expect(try machine.listed(.root, [item("a.jpg", version(1, modified: 9))]).isEmpty)
        #expect(
            try machine.ended()
                == [.update(PhotoID(rawValue: 1), found("a.jpg", version(1, modified: 9)), hasNewPicture: true)])
    }

    @Test func recognisesAMovedFileByItsContent() throws {
        let shot = try known(1, "a.jpg", version(1), digest: [1, 2, 3])
        let copy = version(50, modified: 99)
        for (digest, isSame) in [([1, 2, 3] as [UInt8], true), ([9], false)] {
            var machine = ScanMachine(known: [shot])
            #expect(try machine.listed(.root, [item("b.jpg", copy)]).isEmpty)
            #expect(machine.pathsToDigest.map(\.path) == [RelativePath("b.jpg")])
            let edits = machine.ended(digests: [try #require(RelativePath("b.jpg")): digest])
            #expect(
                try edits
                    == (isSame
                        ? [.move(PhotoID(rawValue: 1), found("b.jpg", copy))]
                        : [.lose(PhotoID(rawValue: 1)), .insert(found("b.jpg", copy))]))
        }
    }

    @Test func losesShotsOnlyWhereFoldersCouldBeRead() throws {
        var machine = ScanMachine(known: [
            try known(1, "a/x.jpg", version(1)), try known(2, "b/c/y.jpg", version(2)),
            try known(3, "z.jpg", version(3), .trashed),
        ])
        #expect(machine.listed(.root, []).isEmpty)
        machine.failed(try folder("b"))
        #expect(machine.ended() == [.lose(PhotoID(rawValue: 1))])
    }

    @Test func findsATrashedShotThatAnotherProgramRestored() throws {
        var machine = ScanMachine(known: [try known(3, "z.jpg", version(3), .trashed)])
        #expect(try machine.listed(.root, [item("z.jpg", version(3))]).isEmpty)
        #expect(try machine.ended() == [.move(PhotoID(rawValue: 3), found("z.jpg", version(3)))])
    }

    // MARK: File systems without lasting inodes, such as FAT

    @Test func knowsAPhotoWithoutAnInodeAtItsPlace() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(0)), try known(2, "b.jpg", version(7))])
        // The second one was scanned by an earlier Sift, which stored the inode of that mount.
        let edits = try machine.listed(.root, [item("a.jpg", version(0)), item("b.jpg", version(0))])
        #expect(try edits == [.update(PhotoID(rawValue: 2), found("b.jpg", version(0)), hasNewPicture: false)])
        #expect(machine.ended().isEmpty)
    }

    @Test func seesAnotherStateWithoutAnInodeAsAnotherPhoto() throws {
        var machine = ScanMachine(known: [try known(1, "a.jpg", version(0))])
        let other = version(0, modified: 9)
        #expect(try machine.listed(.root, [item("a.jpg", other)]).isEmpty)
        #expect(try machine.ended() == [.lose(PhotoID(rawValue: 1)), .insert(found("a.jpg", other))])
    }

    @Test func recognisesAMovedPhotoWithoutAnInodeByItsName() throws {
        // Raws of one burst: equal sizes, and times of 2 s.
        var machine = ScanMachine(known: [try known(1, "1.jpg", version(0)), try known(2, "2.jpg", version(0))])
        let new = try folder("new")
        #expect(try machine.listed(new, [item("2.jpg", version(0)), item("3.jpg", version(0))]).count == 1)
        #expect(machine.listed(.root, []).isEmpty)
        #expect(
            try machine.ended()
                == [.lose(PhotoID(rawValue: 1)), .move(PhotoID(rawValue: 2), found("new/2.jpg", version(0)))])
    }

    @Test func leavesTrashedPhotosWithoutAnInodeUnlessAtTheirPlace() throws {
        let shot = try known(1, "a.jpg", version(0), .trashed)
        for (place, isCandidate) in [("a.jpg", true), ("copies/a.jpg", false)] {
            var machine = ScanMachine(known: [shot])
            let found = try found(place, version(0))
            _ = try machine.listed(found.folder, [item("a.jpg", version(0))])
            #expect(machine.ended() == [isCandidate ? .move(PhotoID(rawValue: 1), found) : .insert(found)])
        }
    }

    @Test func seesACopyOfATrashedPhotoAsAnotherPhoto() throws {
        var machine = ScanMachine(known: [try known(3, "z.jpg", version(3), .trashed, digest: [1])])
        let copy = version(50, modified: 99)
        #expect(try machine.listed(.root, [item("z.jpg", copy)]) == [.insert(found("z.jpg", copy))])
        #expect(machine.pathsToDigest.isEmpty && machine.ended().isEmpty)
    }
}

@Suite struct ContentDigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]) func agreesWithThePublishedVectors(_ text: String, _ expected: String) {
        var digest = ContentDigest()
        for byte in text.utf8 { digest.update([byte]) }
        let hexadecimal = digest.finished().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        #expect(hexadecimal == expected)
    }

    @Test func doesNotDependOnTheSizesOfThePieces() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for length in [1, 55, 56, 63, 64, 65, 119, 120, 1000] {
            var (whole, pieces) = (ContentDigest(), ContentDigest())
            whole.update(bytes.prefix(length))
            for start in stride(from: 0, to: length, by: 7) { pieces.update(bytes[start..<min(start + 7, length)]) }
            #expect(whole.finished() == pieces.finished())
        }
    }
}
