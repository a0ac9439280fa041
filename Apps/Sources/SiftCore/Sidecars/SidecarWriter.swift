import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes marks into the XMP sidecar of a shot.
///
/// Updates a sidecar of the shot, or creates `IMG.JPG.xmp` if it has none. The new content goes to a temporary file, is
/// synced and renamed. Calls block.
struct SidecarWriter: Sendable {
    /// The largest sidecar that is read.
    static let largest = 16 << 20

    /// Writes the marks that an action changed.
    ///
    /// - Parameters:
    ///   - marks: The photo's marks.
    ///   - action: The action that changed one of them. Only that one is written.
    ///   - files: The shot's files, the picture first.
    /// - Throws: ``PhotoProcessingError`` if the sidecar cannot be read or written. It is left as it is then.
    func write(
        _ marks: PhotoMarks, after action: PhotoAction, of files: [PhotoFile], in library: LibraryFolder
    ) throws(PhotoProcessingError) {
        let changes: [(XMPSidecar.Property, String?)]
        switch action.kind {
        case .rating: changes = [(.rating, marks.rating.map(String.init))]
        case .label: changes = [(.label, marks.label)]
        case .favourite: changes = [(.pick, marks.isFavourite ? "3" : nil)]
        default: return
        }
        guard let picture = files.first?.path else { return }
        let folder: OpenDirectory
        let name: FileName
        let old: [UInt8]?
        let mode: UInt32
        do throws(SystemFailure) {
            folder = try library.directory.folder(at: picture.folder)
            name = try self.name(for: picture, among: files, in: folder)
            let status = try folder.status(of: name)
            guard status == nil || status?.kind == .file else { throw SystemFailure(number: EEXIST, call: "openat") }
            mode = (status?.mode ?? 0o644) & 0o777
            old = status == nil ? nil : try folder.contents(of: name, limit: Self.largest)
        } catch {
            throw error.forPerson
        }
        var sidecar = try old.map { bytes throws(PhotoProcessingError) in try XMPSidecar(bytes) } ?? XMPSidecar()
        for (property, value) in changes { try sidecar.set(property, to: value) }
        guard sidecar.bytes != old, old != nil || changes.contains(where: { $0.1 != nil }) else { return }
        do throws(SystemFailure) {
            guard let temporary = FileName(Array(".sift-\(action.decision.uuidString).tmp".utf8)) else { return }
            try folder.remove(temporary)
            try folder.create(temporary, contents: sidecar.bytes, mode: mode)
            if old == nil {
                do throws(SystemFailure) {
                    try System.moveWithoutReplacing(
                        from: folder.descriptor, temporary, to: folder.descriptor, name)
                } catch {
                    try folder.remove(temporary)
                    throw error
                }
            } else {
                try folder.replace(name, by: temporary)
            }
            try folder.sync()
        } catch {
            throw error.forPerson
        }
    }

    /// Returns the name of the shot's sidecar, or of the one to create.
    ///
    /// `IMG.JPG.xmp` belongs to `IMG.JPG` also before a scan has seen it. Whose sidecar `IMG.xmp` is depends on the
    /// other files of the folder, so it is taken only if the scan has found that it belongs to the shot.
    private func name(
        for picture: RelativePath, among files: [PhotoFile], in folder: OpenDirectory
    ) throws(SystemFailure) -> FileName {
        let full = [".xmp", ".XMP"].compactMap { FileName(picture.name.bytes + Array($0.utf8)) }
        let own = files.map(\.path).filter { $0.folder == picture.folder && $0.name.parts.suffix == "xmp" }.map(\.name)
        let (ofStem, others) = (
            own.filter { $0.parts.stem == picture.name.parts.stem },
            own.filter { $0.parts.stem != picture.name.parts.stem }
        )
        for name in full + ofStem + others where try folder.status(of: name) != nil { return name }
        if let name = full.first { return name }
        // The name is too long for one more ending.
        guard let short = FileName(picture.name.parts.stem + Array(".xmp".utf8)), try folder.status(of: short) == nil
        else { throw SystemFailure(number: ENAMETOOLONG, call: "openat") }
        return short
    }
}
