import Foundation
import Hablare

extension AudioFormat {
    /// Creates the format of received sound from its first bytes. A server may send another format than the requested
    /// one, because it does not know the format or the parameter.
    ///
    /// If the format of the first bytes is unknown, the requested format is assumed. Raw samples (`pcm`) may begin with
    /// any bytes, including the few bits of an MPEG frame. If `pcm` was requested, such a frame is therefore ignored.
    init(of beginning: Data, askedFor asked: AudioFormat) {
        let first = MagicBytes(beginning)
        self = first.audioContainer ?? (asked.rawValue == "pcm" ? nil : first.audioFrame) ?? asked
    }
}
