/// The requirements of a decoder. Implemented by SiftImaging's worker pool, and by a fake in the tests of the core.
///
/// Cancelling the task ends each call with the code `cancelled`, and ends the decoding soon.
public protocol PhotoImaging: Sendable {
    /// Reads dimensions, format, orientation, dates, camera, the embedded thumbnail's presence, and a prediction of the
    /// memory that decoding needs. Reads only the header.
    func header(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoHeader

    /// Returns JPEG or WebP bytes that fit into a square of this edge: never cropped, never enlarged, with the
    /// orientation applied, in sRGB. `embedded` returns the thumbnail that the camera stored, or throws
    /// `processingFailed` if there is none.
    func rendition(of photo: OpenPhoto, _ size: RenditionSize) async throws(PhotoProcessingError) -> Rendition

    /// Returns the hashes and the sharpness, from one decode.
    func features(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoFeatures
}
