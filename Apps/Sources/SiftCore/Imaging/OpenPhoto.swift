import Foundation

/// A photo's file, opened for reading only, with the id and the version that it had when it was opened.
///
/// The object owns the descriptor and closes it when the last reference goes. Read with `pread`, or pass the descriptor
/// to another process: the position of the descriptor is shared by everyone who holds it.
public final class OpenPhoto: Sendable {
    /// The shot that the file belongs to.
    public let id: PhotoID
    /// The version of the opened file, taken from the open descriptor.
    public let version: PhotoVersion
    /// The descriptor. Valid as long as this object lives; close nothing but a duplicate of it.
    public let descriptor: Int32

    /// Takes ownership of a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor of a regular file. Do not close it afterwards.
    ///   - id: The shot that the file belongs to.
    ///   - version: The version from `fstat` of this descriptor.
    public init(owning descriptor: Int32, id: PhotoID, version: PhotoVersion) {
        self.descriptor = descriptor
        self.id = id
        self.version = version
    }

    deinit { close(descriptor) }
}
