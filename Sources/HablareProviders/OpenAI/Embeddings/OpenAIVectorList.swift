import Foundation
import Hablare

/// The answer of `embeddings`.
struct OpenAIVectorList: Decodable, Sendable {
    /// A vector, as numbers or as the bytes of numbers.
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

        /// The numbers; `nil` if there are none, if they are not finite, or if the bytes are not base64 of 32-bit
        /// numbers (IEEE 754, little endian).
        var vector: [Float]? {
            let numbers: [Float]
            switch self {
            case .numbers(let given): numbers = given
            case .text(let text):
                guard let data = Data(base64Encoded: text), data.count % 4 == 0 else { return nil }
                numbers = stride(from: 0, to: data.count, by: 4).map { place in
                    Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(data[place + $1]) << UInt32(8 * $1) })
                }
            }
            return !numbers.isEmpty && numbers.allSatisfy(\.isFinite) ? numbers : nil
        }
    }

    struct Entry: Decodable, Sendable {
        /// The vector; `nil` for any other value, so that the answer's usage can still be read.
        let embedding: Vector?

        enum CodingKeys: CodingKey { case embedding }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            do {
                embedding = try container.decode(Vector.self, forKey: .embedding)
            } catch is DecodingError {
                embedding = nil
            }
        }
    }

    let data: [Entry]?
    /// The model, in any form: an unexpected form must not discard a billed vector.
    let model: ParameterValue?
    let usage: ParameterValue?
}
