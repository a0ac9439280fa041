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

    /// Sets a property, or removes it. Removing one creates no sidecar.
    ///
    /// - Parameters:
    ///   - files: The shot's files, the picture first.
    ///   - decision: The decision for which the property is set. It names the temporary file.
    ///   - mayCreate: Whether a shot without a sidecar gets one. Default: true.
    ///   - willSet: Called with the sidecar's value before another one replaces it, and also if the two are the same.
    ///     If it throws, the sidecar is left as it is.
    /// - Throws: ``PhotoProcessingError`` if the sidecar cannot be read or written. It is left as it is then. The error
    ///   is retryable if another program saved the sidecar in the meantime.
    func set(
        _ property: XMPSidecar.Property, to value: String?, of files: [PhotoFile], in library: LibraryFolder,
        for decision: UUID, mayCreate: Bool = true, willSet: (String?) throws -> Void = { _ in }
    ) throws {
        guard let picture = files.first?.path, let temporary = FileName(".sift-\(decision.uuidString).tmp") else {
            throw PhotoProcessingError(.photoGone)
        }
        do {
            let folder = try library.directory.folder(at: picture.folder)
            let name = try self.name(for: picture, among: files, in: folder)
            let status = try folder.status(of: name)
            guard status == nil || status?.kind == .file else { throw SystemFailure(number: EEXIST, call: "openat") }
            let old = status == nil ? nil : try folder.contents(of: name, limit: Self.largest)
            guard old != nil || mayCreate else { return }
            var sidecar = try old.map { bytes throws(PhotoProcessingError) in try XMPSidecar(bytes) } ?? XMPSidecar()
            let oldValue = try sidecar.value(of: property)
            guard oldValue != value else { return try willSet(oldValue) }
            try sidecar.set(property, to: value)
            try folder.remove(temporary)
            try folder.create(temporary, contents: sidecar.bytes, mode: (status?.mode ?? 0o644) & 0o777)
            do {
                try willSet(oldValue)
                try put(temporary, inPlaceOf: status, at: name, in: folder)
            } catch {
                try folder.remove(temporary)
                throw error
            }
            try folder.sync()
        } catch let failure as SystemFailure {
            throw failure.forPerson
        }
    }

    /// Gives a new sidecar its name, unless the one at that place is no longer the one that was read.
    private func put(
        _ temporary: FileName, inPlaceOf status: ItemStatus?, at name: FileName, in folder: OpenDirectory
    ) throws {
        guard try folder.status(of: name) == status else { throw Self.conflict }
        guard status == nil else { return try folder.replace(name, by: temporary) }
        do throws(SystemFailure) {
            try System.moveWithoutReplacing(from: folder.descriptor, temporary, to: folder.descriptor, name)
        } catch  where error.number == EEXIST {
            throw Self.conflict
        }
    }

    private static var conflict: PhotoProcessingError {
        PhotoProcessingError(
            .processingFailed, message: "Another program saved the photo's XMP sidecar at the same time.",
            advice: "Sift tries again by itself.", isRetryable: true)
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
