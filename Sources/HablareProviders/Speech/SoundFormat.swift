public import Hablare

/// A sound format in the notation of ElevenLabs: the encoding of the samples, and the sample rate.
public struct SoundFormat: Sendable, Hashable {
    /// The encoding of samples.
    public enum Coding: String, Sendable, Hashable, CaseIterable {
        /// MPEG audio layer 3.
        case mp3
        /// Samples of 16 bits, little endian, one channel, without a header.
        case pcm
        /// Samples of 8 bits with μ-law coding (G.711), without a header.
        case ulaw
        /// Samples of 8 bits with A-law coding (G.711), without a header.
        case alaw
        /// Opus in Ogg.
        case opus
        /// RIFF WAVE.
        case wav
    }

    /// The encoding of samples.
    public let coding: Coding
    /// The number of samples per second.
    public let sampleRate: Int
    /// The bit rate in kilobits per second, if the format states it.
    public let kilobits: Int?

    /// Creates a format.
    public init(_ coding: Coding, sampleRate: Int, kilobits: Int? = nil) {
        self.coding = coding
        self.sampleRate = sampleRate
        self.kilobits = kilobits
    }

    /// Creates a format from a service's name for it, such as `mp3_44100_128`. Returns `nil` if the name is unknown.
    ///
    /// A name has the coding, the sample rate, and a bit rate if the coding has one. A coding without rates also is a
    /// name. It means a usual format, which every plan of ElevenLabs includes:
    ///
    /// - `mp3` is `mp3_44100_128`.
    /// - `wav` and `pcm` are `pcm_24000`.
    /// - `ulaw` and `alaw` have 8,000 samples per second.
    /// - `opus` is `opus_48000_64`.
    public init?(_ name: String) {
        switch name {
        case "mp3": self.init(.mp3, sampleRate: 44_100, kilobits: 128)
        case "wav", "pcm": self.init(.pcm, sampleRate: 24_000)
        case "ulaw": self.init(.ulaw, sampleRate: 8000)
        case "alaw": self.init(.alaw, sampleRate: 8000)
        case "opus": self.init(.opus, sampleRate: 48_000, kilobits: 64)
        default:
            let words = name.split(separator: "_", omittingEmptySubsequences: false)
            guard let coding = words.first.flatMap({ Coding(rawValue: String($0)) }),
                let rate = words.dropFirst().first.flatMap({ Self.number($0) }), (8000...192_000).contains(rate)
            else { return nil }
            switch coding {
            case .mp3, .opus:
                guard words.count == 3, let kilobits = Self.number(words[2]), (8...512).contains(kilobits) else {
                    return nil
                }
                self.init(coding, sampleRate: rate, kilobits: kilobits)
            case .pcm, .ulaw, .alaw, .wav:
                guard words.count == 2 else { return nil }
                self.init(coding, sampleRate: rate)
            }
        }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    /// The service's name of the format, such as `mp3_44100_128` or `pcm_24000`.
    public var name: String {
        ([coding.rawValue, "\(sampleRate)"] + (kilobits.map { ["\($0)"] } ?? [])).joined(separator: "_")
    }

    /// The format of the answer. If the service sends raw samples, the format is `wav`: the samples get a header, so
    /// that any player can play them.
    public var audioFormat: AudioFormat {
        switch coding {
        case .mp3: .mp3
        case .pcm, .ulaw, .alaw, .wav: .wav
        case .opus: AudioFormat(rawValue: "opus")
        }
    }

    /// The header that raw samples need; `nil` for other formats.
    var header: WaveHeader? {
        switch coding {
        case .pcm: WaveHeader(.pcm, sampleRate: sampleRate)
        case .ulaw: WaveHeader(.ulaw, sampleRate: sampleRate)
        case .alaw: WaveHeader(.alaw, sampleRate: sampleRate)
        case .mp3, .opus, .wav: nil
        }
    }

    /// Returns the playing time of this many bytes in milliseconds. The time is exact for raw samples and approximate
    /// for a constant bit rate. Returns `nil` for formats whose playing time is known only after decoding.
    func milliseconds(ofBytes count: Int) -> Int64? {
        let bytesPerSecond: Int
        switch coding {
        case .pcm: bytesPerSecond = sampleRate * 2
        case .ulaw, .alaw: bytesPerSecond = sampleRate
        case .mp3: bytesPerSecond = (kilobits ?? 0) * 125
        case .opus, .wav: return nil
        }
        guard bytesPerSecond > 0 else { return nil }
        return Int64((Double(count) * 1000 / Double(bytesPerSecond)).rounded())
    }
}
