import Foundation
import Hablare

extension AudioFormat {
    /// Creates the format of received sound by its first bytes: a server that does not know the format, or the
    /// parameter, sends another one.
    ///
    /// Sound with an unknown beginning counts as the requested format. Raw samples (`pcm`) may begin with any bytes,
    /// including the few bits of an MPEG frame. If `pcm` was requested, such a frame is therefore ignored.
    init(of beginning: Data, askedFor asked: AudioFormat) {
        let first = MagicBytes(beginning)
        self = first.audioContainer ?? (asked.rawValue == "pcm" ? nil : first.audioFrame) ?? asked
    }
}
