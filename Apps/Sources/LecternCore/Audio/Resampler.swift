import Foundation

/// Converts one channel of audio to another sample rate, piece by piece.
///
/// A windowed sinc with 32 taps at the lower of both rates: a polyphase filter with one phase for each place between two
/// input samples at which an output sample may lie. The output has no delay, and its length is the input's length times
/// the ratio, rounded up.
struct Resampler {
    /// Half the taps, at the lower rate.
    private static let reach = 16
    /// The highest frequency that passes, as a share of half the lower rate.
    private static let passes = 0.94

    private let up: Int
    private let down: Int
    private let half: Int
    private let taps: [Float]
    private var history: [Float]
    /// The number of input samples before `history`, counting the zeros in front of the input.
    private var dropped = 0
    private var received = 0
    private var produced = 0

    /// Creates a converter between two rates above 0.
    init(from: Int, to: Int) {
        let divisor = Self.commonDivisor(from, to)
        up = to / divisor
        down = from / divisor
        let scale = min(1, Double(to) / Double(from))
        half = Int((Double(Self.reach) / scale).rounded(.up))
        taps = Self.filter(up: up, half: half, cutoff: scale * Self.passes, reach: Double(Self.reach) / scale)
        history = Array(repeating: 0, count: half)
    }

    /// Converts samples. Returns the output samples that do not depend on later input.
    mutating func convert(_ samples: [Float]) -> [Float] {
        if up == down { return samples }
        received += samples.count
        history += samples
        return produce(upTo: .max)
    }

    /// Returns the last output samples.
    mutating func finish() -> [Float] {
        if up == down { return [] }
        history += Array(repeating: 0, count: half + 1)
        return produce(upTo: (received * up + down - 1) / down)
    }

    private mutating func produce(upTo end: Int) -> [Float] {
        var output: [Float] = []
        let width = 2 * half
        let (up, down, dropped) = (up, down, dropped)
        var produced = produced
        history.withUnsafeBufferPointer { history in
            taps.withUnsafeBufferPointer { taps in
                while produced < end {
                    let place = produced * down
                    // The first input sample of the filter, in `history`.
                    let first = place / up - dropped + 1
                    guard first + width <= history.count else { break }
                    let phase = place % up * width
                    // Four sums, so that no addition waits for the one before it.
                    var sums: (Float, Float, Float, Float) = (0, 0, 0, 0)
                    var index = 0
                    while index + 4 <= width {
                        sums.0 += history[first + index] * taps[phase + index]
                        sums.1 += history[first + index + 1] * taps[phase + index + 1]
                        sums.2 += history[first + index + 2] * taps[phase + index + 2]
                        sums.3 += history[first + index + 3] * taps[phase + index + 3]
                        index += 4
                    }
                    while index < width {
                        sums.0 += history[first + index] * taps[phase + index]
                        index += 1
                    }
                    output.append((sums.0 + sums.1) + (sums.2 + sums.3))
                    produced += 1
                }
            }
        }
        self.produced = produced
        let unneeded = min(max(0, produced * down / up - dropped), history.count)
        history.removeFirst(unneeded)
        self.dropped += unneeded
        return output
    }

    /// Returns the taps of each phase. Tap `i` of phase `p` applies to the input sample that lies `i - half + 1 - p / up`
    /// samples after the output sample.
    private static func filter(up: Int, half: Int, cutoff: Double, reach: Double) -> [Float] {
        var taps: [Float] = []
        taps.reserveCapacity(up * 2 * half)
        for phase in 0..<up {
            let distances = (0..<2 * half).map { Double($0 - half + 1) - Double(phase) / Double(up) }
            let values = distances.map { distance -> Double in
                guard abs(distance) < reach else { return 0 }
                let angle = Double.pi * distance * cutoff
                let sinc = angle == 0 ? 1 : sin(angle) / angle
                // Blackman's window.
                let place = Double.pi * distance / reach
                return sinc * (0.42 + 0.5 * cos(place) + 0.08 * cos(2 * place))
            }
            let sum = values.reduce(0, +)
            taps += values.map { Float($0 / sum) }
        }
        return taps
    }

    private static func commonDivisor(_ one: Int, _ other: Int) -> Int {
        other == 0 ? one : commonDivisor(other, one % other)
    }
}
