public import Foundation

/// Encoded audio: bytes in memory, or a file.
///
/// What it is (WAV, FLAC, MP3, Ogg, AIFF and others) is found out from the bytes, never from a name.
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
