import Foundation
import Hablare
import HablareJSON

extension ModelInformation {
    /// The vendor's name in the catalog.
    static let anthropic = "anthropic"

    /// Reads an entry of Anthropic's list of models. Returns `nil` for an entry without an id.
    ///
    /// If a member of the entry is missing or malformed, the information of this member is unknown. The expected form
    /// is `ModelInfo` in the `anthropic` SDK 2.14.0 for Python (https://platform.claude.com/docs/en/api/models-list).
    init?(anthropic entry: ParameterValue) {
        guard let id = entry[member: "id"]?.string, !id.isEmpty else { return nil }
        func date(_ name: String) -> Date? { entry[member: name]?.string.flatMap { InternetDate.date($0) } }
        func limit(_ name: String) -> Int64? { entry[member: name]?.count.flatMap { $0 > 0 ? $0 : nil } }
        self.init(vendor: Self.anthropic, id: id, kind: .text)
        name = entry[member: "display_name"]?.string
        // An unknown date of release is reported as the beginning of 1970.
        releasedAt = date("created_at").flatMap { $0.timeIntervalSince1970 > 0 ? $0 : nil }
        contextTokens = limit("max_input_tokens")
        outputTokens = limit("max_tokens")
        lifecycle = entry[member: "lifecycle"]?.string.flatMap(Lifecycle.init)
        endsAt = date("retires_at")
        let capabilities = entry[member: "capabilities"]
        isBatchable = Self.isSupported(capabilities?[member: "batch"])
        if let thinking = capabilities?[member: "thinking"], case .object(let types)? = thinking[member: "types"] {
            for (type, capability) in types { learn("thinking.\(type)", capability) }
        }
        learn("schema", capabilities?[member: "structured_outputs"])
        if let effort = capabilities?[member: "effort"], case .object(let levels) = effort {
            let supported = Self.supported(levels)
            efforts = Self.isSupported(effort) == false ? [] : Self.levels.filter(supported.contains)
        }
    }

    private mutating func learn(_ parameter: String, _ capability: ParameterValue?) {
        switch Self.isSupported(capability) {
        case true?: accepted.insert(parameter)
        case false?: refused.insert(parameter)
        case nil: break
        }
    }

    /// The effort levels, from low to high.
    private static let levels = ["low", "medium", "high", "xhigh", "max"]

    private static func isSupported(_ capability: ParameterValue?) -> Bool? {
        guard case .bool(let isSupported)? = capability?[member: "supported"] else { return nil }
        return isSupported
    }

    private static func supported(_ capabilities: [String: ParameterValue]) -> Set<String> {
        Set(capabilities.filter { isSupported($0.value) == true }.keys)
    }
}
