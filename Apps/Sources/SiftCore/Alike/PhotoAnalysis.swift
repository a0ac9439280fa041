import Foundation

/// The result of decoding a version of a photo in the background. It never changes for that version, so it is kept.
///
/// Without any value, the photo could not be decoded for now.
struct PhotoAnalysis: Sendable, Hashable, Codable {
    /// The hashes and the sharpness; nil if the photo cannot be decoded.
    var features: PhotoFeatures?
    /// The digest of the file's content; nil if the photo cannot be decoded.
    var digest: [UInt8]?
    /// Why the photo cannot be decoded; nil if it can.
    var failure: PhotoProcessingError?
}
