import Foundation
import Hablare

/// The metadata of a response, as it is stored in columns. Most responses only have metadata about the use of the
/// cache. In this case a number is stored instead of JSON.
struct ResponseLabels {
    /// 1 for `miss`, and 2 for `refresh`. `nil` for any other value, which is then in ``others``.
    let cacheUse: Int64?
    let others: [String: String]

    private static let words = ["miss", "refresh"]

    init(_ metadata: [String: String]) {
        let index = metadata[AIResponseData.cacheKey].flatMap(Self.words.firstIndex)
        cacheUse = index.map { Int64($0) + 1 }
        others =
            switch (index, metadata.count) {
            case (nil, _): metadata
            case (_, 1): [:]
            default: metadata.filter { $0.key != AIResponseData.cacheKey }
            }
    }

    static func metadata(cacheUse: Int64?, others: [String: String]?) -> [String: String] {
        var metadata = others ?? [:]
        if let cacheUse, (1...Int64(words.count)).contains(cacheUse) {
            metadata[AIResponseData.cacheKey] = words[Int(cacheUse) - 1]
        }
        return metadata
    }
}
