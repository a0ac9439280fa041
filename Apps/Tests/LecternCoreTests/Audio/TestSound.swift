import Foundation

/// Sounds for tests.
enum TestSound {
    /// Returns a WAV file with a tone on every channel.
    static func wav(milliseconds: Int, rate: Int = 22_050, channels: Int = 1, frequency: Double = 440) -> Data {
        let frames = rate * milliseconds / 1_000
        var samples: [Int16] = []
        for frame in 0..<frames {
            let value = Int16(12_000 * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
            samples += Array(repeating: value, count: channels)
        }
        func number(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 0xFF) } }
        var file = Data("RIFF".utf8)
        file.append(contentsOf: number(36 + samples.count * 2, 4))
        file.append(Data("WAVEfmt ".utf8))
        file.append(contentsOf: number(16, 4) + number(1, 2) + number(channels, 2) + number(rate, 4))
        file.append(contentsOf: number(rate * channels * 2, 4) + number(channels * 2, 2) + number(16, 2))
        file.append(Data("data".utf8))
        file.append(contentsOf: number(samples.count * 2, 4))
        for sample in samples { file.append(contentsOf: number(Int(UInt16(bitPattern: sample)), 2)) }
        return file
    }
}
