public import Foundation

/// Encoded audio, in memory or in a file.
///
/// The format (WAV, FLAC, MP3, Ogg, AIFF and others) is detected from the bytes, never from a file name.
public enum AudioSource: Sendable {
    /// The bytes of an audio file.
    case data(Data)
    /// A regular file on this machine.
    case file(URL)

    func open() throws(AudioError) -> any SeekableBytes {
        switch self {
        case .data(let data): DataBytes(data)
        case .file(let url): try FileBytes(url)
        }
    }
}
