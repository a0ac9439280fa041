/// Tells which files of one folder are one shot.
///
/// A shot has at most one file of each kind of picture. A second JPEG of the same stem (`a.jpg` beside `a.JPG`) is a
/// shot of its own, and so are PNG and WebP beside other pictures: a person sees only one picture of a shot, and no
/// picture may go to the trash unseen.
public struct ShotGrouping: Sendable {
    /// The files of one shot.
    public struct Group: Sendable, Hashable {
        /// The text that names the shot in its folder: the stem, or the whole name of a picture that stands alone.
        public let key: [UInt8]
        /// The names and parts of the files, with the picture that is shown first.
        public let files: [Member]

        /// The file that is shown.
        public var principal: Member { files[0] }
    }

    /// A file of a shot.
    public struct Member: Sendable, Hashable {
        /// The file's name.
        public let name: FileName
        /// The part that it plays.
        public let role: FileRole
    }

    /// Groups the names of a folder's files. Leaves out files that belong to no picture, and hidden files.
    ///
    /// - Returns: The groups in the order of their principal files' names.
    public static func groups(of names: some Sequence<FileName>) -> [Group] {
        var shots: [[UInt8]: [Member]] = [:]
        var companions: [(stem: [UInt8], Member)] = []
        for name in names.sorted() where !name.isHidden {
            let (stem, suffix) = name.parts
            guard let suffix, let role = FileRole.role(ofSuffix: suffix) else { continue }
            let member = Member(name: name, role: role)
            guard role.isPicture else {
                companions.append((stem, member))
                continue
            }
            let isAlone = role == .png || role == .webp || shots[stem]?.contains { $0.role == role } == true
            shots[isAlone ? name.bytes : stem, default: []].append(member)
        }
        let pictures = Dictionary(
            shots.flatMap { key, members in members.map { ($0.name.bytes, key) } }, uniquingKeysWith: { $1 })
        // The stem of a picture that stands alone, for sidecars such as `a.xmp` beside `a.png`.
        var alone: [[UInt8]: [[UInt8]]] = [:]
        for (name, key) in pictures where name == key {
            alone[FileName(name)?.parts.stem ?? name, default: []].append(key)
        }
        for (stem, member) in companions {
            // `a.jpg.xmp` belongs to `a.jpg`; `a.xmp` to the shot `a`, or to the only picture `a.png`.
            let lone = alone[stem].flatMap { $0.count == 1 ? $0[0] : nil }
            guard let key = pictures[stem] ?? (shots[stem] == nil ? lone : stem) else { continue }
            let isTaken = member.role != .sidecar && shots[key]?.contains { $0.role == member.role } == true
            if !isTaken { shots[key]?.append(member) }
        }
        return shots.map { key, members in
            Group(key: key, files: members.sorted { ($0.role.rank, $0.name) < ($1.role.rank, $1.name) })
        }
        .sorted { $0.principal.name < $1.principal.name }
    }
}
