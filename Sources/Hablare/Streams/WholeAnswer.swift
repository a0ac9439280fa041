package import Foundation

/// An answer that its provider returned in one piece, cut into chunks for readers. An answer is always cut at the same
/// places, so that a reader can resume at any chunk. This type has no side effects, except that it reads the body.
package struct WholeAnswer: Sendable {
    /// The size of a chunk in bytes. A chunk of text may be up to three bytes longer or shorter, because no character
    /// is cut.
    private static let size = 64 << 10

    private let body: Body
    private let isText: Bool

    /// Cuts an answer into chunks. Returns `nil` for content without bytes, such as a vector or a JSON value.
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

    /// Returns the number of bytes at the beginning that continue an earlier character.
    private static func continuation(of bytes: Data) -> Int {
        bytes.prefix { $0 & 0xc0 == 0x80 }.count
    }
}
