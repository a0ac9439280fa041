package import Foundation

/// An answer that its provider gave in one piece, cut into chunks for readers: always the same ones, so that a reader
/// can come back at any. Pure but for the reading of the body.
package struct WholeAnswer: Sendable {
    /// How many bytes a chunk has, to a character.
    private static let size = 64 << 10

    private let body: Body
    private let isText: Bool

    /// `nil` for an answer that has no bytes, a vector or a value tree.
    package init?(_ content: ResponseContent) {
        guard let body = content.body else { return nil }
        self.body = body
        isText = content.type == .text
    }

    package func chunk(_ sequence: Int) throws -> Data? {
        guard sequence >= 0, sequence <= body.byteCount / Self.size, sequence * Self.size < body.byteCount else {
            return nil
        }
        let start = sequence * Self.size
        guard isText else { return try body.read(start..<start + Self.size) }
        // A character belongs to the chunk in which it begins.
        let bytes = try body.read(start..<start + Self.size + 3)
        let head = start == 0 ? 0 : Self.continuation(of: bytes.prefix(3))
        let tail = bytes.count > Self.size ? Self.continuation(of: bytes.dropFirst(Self.size)) : 0
        let chunk = Data(bytes.dropFirst(head).prefix(min(bytes.count, Self.size + tail) - head))
        return chunk.isEmpty ? nil : chunk
    }

    /// How many bytes at the beginning continue a character.
    private static func continuation(of bytes: Data) -> Int {
        bytes.prefix { $0 & 0xc0 == 0x80 }.count
    }
}
