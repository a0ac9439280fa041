import Foundation
public import Hablare

/// The line that separates the parts of a multipart body (RFC 2046, 5.1.1).
public struct MultipartBoundary: Sendable, Hashable {
    /// The boundary, without the hyphens that are put before and behind it.
    public let text: String

    private static let longest = 70
    private static let signs = Set("'()+_,-./:=? ".utf8)

    /// Makes a boundary of a text.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where RFC 2046 does not allow it: 1 to 70 letters, digits
    ///   and some signs, a space not being the last.
    public init(_ text: String) throws(AIServiceError) {
        let bytes = Array(text.utf8)
        let isAllowed = bytes.allSatisfy { byte in
            let letter = byte | 0x20
            return (0x61...0x7A).contains(letter) || (0x30...0x39).contains(byte) || Self.signs.contains(byte)
        }
        guard isAllowed, (1...Self.longest).contains(bytes.count), bytes.last != 0x20 else {
            throw AIServiceError(
                .invalidRequest,
                "The boundary of a form has 1 to 70 letters, digits and signs of '()+_,-./:=? and ends with no space. Choose another one."
            )
        }
        self.text = text
    }

    /// Makes a boundary of 128 random bits: no content that somebody wrote before will have it.
    public init(using generator: inout some RandomNumberGenerator) {
        let digits = (0..<2).map { _ in
            let half = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - half.count) + half
        }
        text = "hablare-" + digits.joined()
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// The parameter `boundary` of a media type. Quoted only where it has signs that need it: not every server reads quotes.
    var parameter: String {
        text.utf8.contains { "(),/:=? ".utf8.contains($0) } ? "boundary=\"\(text)\"" : "boundary=\(text)"
    }

    /// The first of the boundary itself and nine others made from it that some contents do not have.
    ///
    /// Contents that hold a call which was sent before may have its boundary: where randomness is repeated, as in a test,
    /// that is this one. Another one is as good, so the form is sent all the same.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where the contents have all of them, which is no chance.
    func absent(from contents: [Data]) throws(AIServiceError) -> MultipartBoundary {
        let stem = text.prefix(Self.longest - 2)
        for candidate in [text] + (1...9).map({ "\(stem)-\($0)" }) {
            let search = ByteSearch(for: Array(candidate.utf8))
            if !contents.contains(where: { $0.withUnsafeBytes(search.isFound) }) { return Self(unchecked: candidate) }
        }
        throw AIServiceError(
            .invalidRequest,
            "What a form is to send has the form's own boundary in it, in every variant. Send it with a random boundary."
        )
    }
}
