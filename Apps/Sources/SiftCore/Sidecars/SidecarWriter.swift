import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes marks into the XMP sidecar of a shot.
///
/// Updates the sidecar that exists, `IMG.JPG.xmp` or `IMG.xmp`; creates `IMG.JPG.xmp` if neither does. The new content
/// goes to a temporary file, is synced and renamed. Calls block.
struct SidecarWriter: Sendable {
    /// The largest sidecar that is read.
    static let largest = 16 << 20

    /// Writes the marks that an action changed.
    ///
    /// - Parameters:
    ///   - marks: The photo's marks.
    ///   - action: The action that changed one of them. Only that one is written.
    ///   - picture: Where the shot's picture is now.
    /// - Throws: ``PhotoProcessingError`` if the sidecar cannot be read or written. It is left as it is then.
    func write(
        _ marks: PhotoMarks, after action: PhotoAction, of picture: RelativePath, in library: LibraryFolder
    ) throws(PhotoProcessingError) {
        let changes: [(XMPSidecar.Property, String?)]
        switch action.kind {
        case .rating: changes = [(.rating, marks.rating.map(String.init))]
        case .label: changes = [(.label, marks.label)]
        case .favourite: changes = [(.pick, marks.isFavourite ? "3" : nil)]
        default: return
        }
        let folder: OpenDirectory
        let name: FileName
        let old: [UInt8]?
        let mode: UInt32
        do throws(SystemFailure) {
            folder = try library.directory.folder(at: picture.folder)
            name = try self.name(for: picture.name, in: folder)
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

    /// Returns the name of the sidecar that exists, or of the one to create.
    private func name(for picture: FileName, in folder: OpenDirectory) throws(SystemFailure) -> FileName {
        let usual = [UInt8](".xmp".utf8)
        let full = FileName(picture.bytes + usual)
        let candidates = [full, FileName(picture.bytes + Array(".XMP".utf8)), FileName(picture.parts.stem + usual)]
        for case let name? in candidates where try folder.status(of: name) != nil {
            return name
        }
        guard let name = full ?? candidates[2] else { throw SystemFailure(number: ENAMETOOLONG, call: "openat") }
        return name
    }
}
