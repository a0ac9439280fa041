import Foundation
import Hablare

/// What `embeddings` answers.
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

        /// The numbers; `nil` where there are none, they are not finite, or the bytes are not those of 32-bit numbers
        /// (IEEE 754, little endian) in base 64.
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
        /// `nil` for what is no vector: what the answer used is told all the same.
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
    /// Whatever stands there: a vector that is paid for is not thrown away for what stands beside it.
    let model: ParameterValue?
    let usage: ParameterValue?
}
