import Foundation
import Hablare

extension AudioFormat {
    /// The format of sound that was asked for in one, by its first bytes: a server that does not know the format, or the
    /// parameter, sends what it has.
    ///
    /// What begins with nothing that is known counts as what was asked for. Bare samples (`pcm`) may begin with anything, also
    /// with the few bits of a frame of MPEG: where they were asked for these say nothing.
    init(of beginning: Data, askedFor asked: AudioFormat) {
        let first = MagicBytes(beginning)
        self = first.audioContainer ?? (asked.rawValue == "pcm" ? nil : first.audioFrame) ?? asked
    }
}
