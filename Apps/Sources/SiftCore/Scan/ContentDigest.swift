#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The SHA-256 digest of a file's content (FIPS 180-4). Serves to recognise a photo whose name and dates changed.
public struct ContentDigest: Sendable {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var pending: [UInt8] = []
    private var count: UInt64 = 0

    /// Creates the digest of nothing.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        var start = 0
        while pending.count - start >= 64 {
            pending.withUnsafeBufferPointer { compress($0, at: start) }
            start += 64
        }
        count += UInt64(start)
        pending.removeFirst(start)
    }

    /// Returns the 32 bytes of the digest.
    public func finished() -> [UInt8] {
        var copy = self
        let bits = (count + UInt64(pending.count)) * 8
        let padding = (119 - pending.count % 64) % 64
        copy.update(
            [0x80] + [UInt8](repeating: 0, count: padding)
                + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
        return copy.state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    /// Returns the digest of an open file. Stops when the task is cancelled.
    public static func digest(of photo: OpenPhoto) throws -> [UInt8] {
        var digest = ContentDigest()
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var offset: off_t = 0
        while true {
            try Task.checkCancellation()
            let count = try System.call("pread") { pread(photo.descriptor, &buffer, buffer.count, offset) }
            guard count > 0 else { return digest.finished() }
            digest.update(buffer[..<count])
            offset += off_t(count)
        }
    }

    private mutating func compress(_ block: UnsafeBufferPointer<UInt8>, at start: Int) {
        var words = [UInt32](repeating: 0, count: 64)
        for index in 0..<16 {
            let at = start + index * 4
            words[index] =
                UInt32(block[at]) << 24 | UInt32(block[at + 1]) << 16 | UInt32(block[at + 2]) << 8
                | UInt32(block[at + 3])
        }
        func rotate(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }
        for index in 16..<64 {
            let (a, b) = (words[index - 15], words[index - 2])
            let low = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)
            let high = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10)
            words[index] = words[index - 16] &+ low &+ words[index - 7] &+ high
        }
        var work = state
        for index in 0..<64 {
            let big = rotate(work[4], 6) ^ rotate(work[4], 11) ^ rotate(work[4], 25)
            let choice = (work[4] & work[5]) ^ (~work[4] & work[6])
            let first = work[7] &+ big &+ choice &+ Self.constants[index] &+ words[index]
            let small = rotate(work[0], 2) ^ rotate(work[0], 13) ^ rotate(work[0], 22)
            let majority = (work[0] & work[1]) ^ (work[0] & work[2]) ^ (work[1] & work[2])
            let second = small &+ majority
            (work[7], work[6], work[5], work[4]) = (work[6], work[5], work[4], work[3] &+ first)
            (work[3], work[2], work[1], work[0]) = (work[2], work[1], work[0], first &+ second)
        }
        for index in 0..<8 { state[index] &+= work[index] }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
        0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
        0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
        0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
    ]
}
