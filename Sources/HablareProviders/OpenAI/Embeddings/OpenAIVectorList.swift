import Foundation
import Hablare

/// The answer of `embeddings`.
struct OpenAIVectorList: Decodable, Sendable {
    /// A vector, as numbers or as base64 text.
    enum Vector: Decodable, Sendable {
        case numbers([Float])
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                self = .text(try container.decode(String.self))
            } catch DecodingError.typeMismatch {
                self = .numbers(try container.decode([Float].self))
            }
        }

        /// The numbers. `nil` if there are none, if a number is not finite, or if the base64 text does not contain
        /// 32-bit numbers (IEEE 754, little endian).
        var vector: [Float]? {
            let numbers: [Float]
            switch self {
            case .numbers(let given): numbers = given
            case .text(let text):
                guard let data = Data(base64Encoded: text), data.count % 4 == 0 else { return nil }
                numbers = data.withUnsafeBytes { bytes in
                    stride(from: 0, to: bytes.count, by: 4).map { place in
                        let bits = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                        return Float(bitPattern: UInt32(littleEndian: bits))
                    }
                }
            }
            return !numbers.isEmpty && numbers.allSatisfy(\.isFinite) ? numbers : nil
        }
    }

    struct Entry: Decodable, Sendable {
        /// The vector. `nil` for a value that is not a vector. Such a value does not fail the whole answer, so that the
        /// answer's usage can still be read.
        let embedding: Vector?
        /// The position of the vector's text in the call; `nil` if the server does not report it.
        let index: Int?

        enum CodingKeys: CodingKey { case embedding, index }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            do {
                embedding = try container.decode(Vector.self, forKey: .embedding)
            } catch is DecodingError {
                embedding = nil
            }
            do {
                index = try container.decodeIfPresent(Int.self, forKey: .index)
            } catch is DecodingError {
                index = nil
            }
        }
    }

    let data: [Entry]?
    /// The model. It may be any JSON value: if an unexpected form made the answer unreadable, billed vectors would be
    /// lost.
    let model: ParameterValue?
    let usage: ParameterValue?

    /// Returns the entries in the order of the texts. Returns `nil` if there is not exactly one entry for each text.
    func entries(for count: Int) -> [Entry]? {
        guard let data, data.count == count else { return nil }
        guard count > 1, data.contains(where: { $0.index != nil }) else { return data }
        var ordered = [Entry?](repeating: nil, count: count)
        for entry in data {
            guard let index = entry.index, ordered.indices.contains(index), ordered[index] == nil else { return nil }
            ordered[index] = entry
        }
        return ordered.compactMap(\.self)
    }
}
