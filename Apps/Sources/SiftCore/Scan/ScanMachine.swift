/// Decides what a scan of a library changes in the store. Does no I/O.
///
/// Feed it every folder with ``listed(_:_:)`` or ``failed(_:)``, then call ``ended(digests:)``. A shot that is
/// certainly new is an edit at once, so the first photos of a new library can be shown while the scan runs. A shot that
/// may be a renamed one waits for the end.
///
/// A picture is recognised by inode, size and modification time, or by size and content. A trashed one is recognised by
/// the former only: another file of the same content is a copy, and the trash still holds the photo. On a file system
/// without lasting inodes, the name takes the inode's place.
public struct ScanMachine: Sendable {
    private struct Identity: Hashable {
        let inode: UInt64
        let size: Int64
        let modified: Int64
        /// Without lasting inodes, raws of one burst may have equal sizes and times.
        let name: FileName?

        init(_ file: PhotoFile) {
            let version = file.version
            (inode, size, modified) = (version.inode, version.size, version.modified)
            name = version.hasInode ? nil : file.path.name
        }
    }

    private struct Place: Hashable {
        let folder: RelativeFolder
        let key: [UInt8]
    }

    private let known: [PhotoID: KnownShot]
    private let byPlace: [Place: PhotoID]
    private let byIdentity: [Identity: [PhotoID]]
    private let digestsBySize: [Int64: [PhotoID]]
    /// The known shots that were not found yet.
    private var unfound: Set<PhotoID>
    private var unreadable: [RelativeFolder] = []
    private var waiting: [FoundShot] = []

    /// Creates a machine.
    ///
    /// - Parameter known: All shots of the library in the store, also the trashed and missing ones.
    public init(known: [KnownShot]) {
        let known = known.sorted { $0.id < $1.id }
        self.known = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        byPlace = Dictionary(
            known.filter { $0.state == .present }.map { (Place(folder: $0.folder, key: $0.key), $0.id) },
            uniquingKeysWith: { first, _ in first })
        let pictured = known.filter { !$0.files.isEmpty }
        byIdentity = Dictionary(grouping: pictured) { Identity($0.files[0]) }.mapValues { $0.map(\.id) }
        digestsBySize = Dictionary(grouping: pictured.filter { $0.digest != nil && $0.state != .trashed }) {
            $0.files[0].version.size
        }
        .mapValues { $0.map(\.id) }
        unfound = Set(known.map(\.id))
    }

    /// A folder was read.
    ///
    /// - Returns: The edits that are certain now.
    public mutating func listed(_ folder: RelativeFolder, _ items: [LibraryFolder.Item]) -> [ScanEdit] {
        let versions = Dictionary(
            items.compactMap { item in item.version.map { (item.name, $0) } }, uniquingKeysWith: { first, _ in first })
        var edits: [ScanEdit] = []
        for group in ShotGrouping.groups(of: versions.keys) {
            let files = group.files.compactMap { member in
                versions[member.name].map {
                    PhotoFile(path: RelativePath(folder, member.name), role: member.role, version: $0)
                }
            }
            let found = FoundShot(folder: folder, key: group.key, files: files)
            let here = byPlace[Place(folder: folder, key: group.key)].flatMap { known[$0] }
            if let here, Self.isSame(here, found) {
                unfound.remove(here.id)
                // A shot that lost its JPEG shows its raw from now on.
                let hasNewPicture = here.files.first?.version.isSameFile(as: found.version) != true
                if here.files != files { edits.append(.update(here.id, found, hasNewPicture: hasNewPicture)) }
            } else if here != nil || byIdentity[Identity(found.files[0])] != nil
                || digestsBySize[found.version.size] != nil
            {
                waiting.append(found)
            } else {
                edits.append(.insert(found))
            }
        }
        return edits
    }

    /// Returns whether a shot at the same place is the known one: it has the known picture, or its picture was one of
    /// the known files.
    private static func isSame(_ known: KnownShot, _ found: FoundShot) -> Bool {
        guard let picture = known.files.first else { return false }
        return found.files.contains { $0.version.isSameFile(as: picture.version) }
            || known.files.contains { $0.version.isSameFile(as: found.version) }
    }

    /// A folder could not be read. The shots in it and below it are left as they are.
    public mutating func failed(_ folder: RelativeFolder) { unreadable.append(folder) }

    /// The pictures whose content has to be compared before the end: those that may be moved ones by their size.
    public var pathsToDigest: [PhotoFile] {
        waiting.filter { found in
            candidates(byIdentity[Identity(found.files[0])]).isEmpty
                && !candidates(digestsBySize[found.version.size]).isEmpty
        }
        .map { $0.files[0] }
    }

    /// The known shots among these that were not found, in the order of their ids.
    private func candidates(_ ids: [PhotoID]?) -> [PhotoID] { ids?.filter { unfound.contains($0) } ?? [] }

    /// Every folder was read.
    ///
    /// - Parameter digests: The digests of ``pathsToDigest``. Missing ones count as different.
    /// - Returns: The remaining edits.
    public mutating func ended(digests: [RelativePath: [UInt8]] = [:]) -> [ScanEdit] {
        var edits: [ScanEdit] = []
        // Moved files first, so that two files that swapped their names keep their marks.
        var rest: [FoundShot] = []
        for found in waiting {
            // Without lasting inodes, only at its old place may a file be a trashed one. The store knows whether it is.
            let sameFile = candidates(byIdentity[Identity(found.files[0])]).filter {
                found.version.hasInode || known[$0]?.state != .trashed || known[$0]?.folder == found.folder
            }
            let sameContent = candidates(digestsBySize[found.version.size]).filter {
                digests[found.files[0].path] != nil && known[$0]?.digest == digests[found.files[0].path]
            }
            // A shot of the same name is likelier than another with the same content.
            let options = sameFile.isEmpty ? sameContent : sameFile
            guard let id = options.first(where: { known[$0]?.key == found.key }) ?? options.first else {
                rest.append(found)
                continue
            }
            unfound.remove(id)
            edits.append(.move(id, found))
        }
        for found in rest {
            // Written to in place, by its inode: the same photo in another version. Another file is another photo,
            // which must not inherit what was decided about the first.
            if let id = byPlace[Place(folder: found.folder, key: found.key)], unfound.contains(id),
                found.version.hasInode, known[id]?.files.first?.version.inode == found.version.inode
            {
                unfound.remove(id)
                edits.append(.update(id, found, hasNewPicture: true))
            } else {
                edits.append(.insert(found))
            }
        }
        waiting = []
        let lost = unfound.sorted().filter { id in
            guard let shot = known[id], shot.state == .present else { return false }
            return !unreadable.contains { $0.contains(shot.folder) }
        }
        // Lost and moved shots free their places before others take them.
        let moves = edits.filter { if case .move = $0 { true } else { false } }
        let others = edits.filter { if case .move = $0 { false } else { true } }
        return lost.map { .lose($0) } + moves + others
    }
}
