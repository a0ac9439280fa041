import Foundation
import Hablare

extension AudioFormat {
    /// Finds the format of received sound from its first bytes. A server may send another format than the requested
    /// format, because it does not know the format or the parameter.
    ///
    /// If the format of the first bytes is unknown, the requested format is assumed. Raw samples (`pcm`) may begin with
    /// any bytes, also with the few bits that begin an MPEG frame. So if `pcm` was requested, these bits are ignored.
    init(of beginning: Data, askedFor asked: AudioFormat) {
        let first = MagicBytes(beginning)
        self = first.audioContainer ?? (asked.rawValue == "pcm" ? nil : first.audioFrame) ?? asked
    }
}
