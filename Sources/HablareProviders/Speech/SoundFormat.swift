public import Hablare

/// A format of sound as a service names it: how it is coded, and how many samples a second it has.
public struct SoundFormat: Sendable, Hashable {
    /// How samples become bytes.
    public enum Coding: String, Sendable, Hashable, CaseIterable {
        /// MPEG audio layer 3.
        case mp3
        /// Samples of 16 bits, least byte first, one channel, without a header.
        case pcm
        /// Samples of 8 bits by the μ-law (G.711), without a header.
        case ulaw
        /// Samples of 8 bits by the A-law (G.711), without a header.
        case alaw
        /// Opus in Ogg.
        case opus
        /// RIFF WAVE.
        case wav
    }

    /// How samples become bytes.
    public let coding: Coding
    /// Samples a second.
    public let sampleRate: Int
    /// Thousands of bits a second, where the format says it.
    public let kilobits: Int?

    /// Creates a format.
    public init(_ coding: Coding, sampleRate: Int, kilobits: Int? = nil) {
        self.coding = coding
        self.sampleRate = sampleRate
        self.kilobits = kilobits
    }

    /// Reads a service's name: the coding, the rate, and where there is one the bit rate, as in `mp3_44100_128`; or a
    /// coding alone, which stands for a usual format that every plan of ElevenLabs has. `nil` where it is none.
    ///
    /// `mp3` is `mp3_44100_128`, `wav` and `pcm` are `pcm_24000`, `ulaw` and `alaw` have 8,000 samples a second, `opus` is
    /// `opus_48000_64`.
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

    /// The service's name: `mp3_44100_128`, `pcm_24000` …
    public var name: String {
        ([coding.rawValue, "\(sampleRate)"] + (kilobits.map { ["\($0)"] } ?? [])).joined(separator: "_")
    }

    /// The format of the answer. Bare samples get a header, so that anything can play them: they are `wav`.
    public var audioFormat: AudioFormat {
        switch coding {
        case .mp3: .mp3
        case .pcm, .ulaw, .alaw, .wav: .wav
        case .opus: AudioFormat(rawValue: "opus")
        }
    }

    /// The header that bare samples need; `nil` for what has one, or needs none.
    var header: WaveHeader? {
        switch coding {
        case .pcm: WaveHeader(.pcm, sampleRate: sampleRate)
        case .ulaw: WaveHeader(.ulaw, sampleRate: sampleRate)
        case .alaw: WaveHeader(.alaw, sampleRate: sampleRate)
        case .mp3, .opus, .wav: nil
        }
    }

    /// How long so many bytes of the service sound, in milliseconds: exactly for bare samples, nearly where the bit rate
    /// is constant; `nil` for what may not be known without decoding.
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
